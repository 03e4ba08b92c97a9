// Browsers that refuse something: the page says so in words, or works without.

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch, onPage, siteBelow } from "./stage.mjs";
import { eventually, example } from "./visit.mjs";

const DEPLOYMENT = example("memory-volume-unlimited-writer/bad-deployment.yaml");
const LANGUAGE = { name: "Language" };

const storageBlocked = (context) => context.addInitScript(() => {
  Object.defineProperty(window, "localStorage", {
    get() {
      throw new DOMException("The operation is insecure.", "SecurityError");
    },
  });
});

const storageFull = (context) => context.addInitScript(() => {
  Storage.prototype.setItem = () => {
    throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
  };
});

for (const [what, prepare] of [["blocked", storageBlocked], ["full", storageFull]]) {
  onPage(`storage is ${what}: a paste is checked, and a choice holds as long as the page`, { prepare }, async (visit) => {
    await visit.paste(DEPLOYMENT);
    await visit.verdictIs(/^At risk/);
    await visit.page.getByRole("combobox", LANGUAGE).selectOption("ja");
    await visit.page.getByText("そのままで、ノードは落ちませんか？").waitFor();
    assert.equal(await visit.input.count(), 0, "the label is another one");
    assert.equal(await visit.page.locator("#input").inputValue(), DEPLOYMENT);
  });
}

onPage("nothing is stored but the language and theme chosen by hand", async (visit) => {
  const { page } = visit;
  const stored = async () => ({
    local: await page.evaluate(() => Object.keys(localStorage).sort()),
    session: await page.evaluate(() => sessionStorage.length),
    cookies: (await page.context().cookies()).length,
    databases: await page.evaluate(async () => (await indexedDB.databases()).length),
  });
  await visit.paste(DEPLOYMENT);
  await visit.verdictIs(/^At risk/);
  assert.deepEqual(await stored(), { local: [], session: 0, cookies: 0, databases: 0 });
  await page.getByRole("combobox", { name: "Theme" }).selectOption("dark");
  await page.getByRole("combobox", LANGUAGE).selectOption("zh");
  assert.deepEqual((await stored()).local, ["noderisk.lang", "noderisk.theme"]);
  await page.reload();
  await page.getByText("这样下去，节点会不会挂？").waitFor();
  await eventually(async () => assert.equal(await page.locator("html").getAttribute("data-theme"), "dark"));
});

const historyRefused = (context) => context.addInitScript(() => {
  History.prototype.replaceState = () => {
    throw new DOMException("refused", "SecurityError");
  };
});

onPage("the address cannot be changed: samples and pastes are checked all the same", { prepare: historyRefused },
  async (visit) => {
    await visit.loadExample("inotify-instances-low/bad-default-limit.txt");
    await visit.verdictIs(/^At risk/);
    await visit.pasteOver("fs.inotify.max_user_instances = 8192\n");
    await visit.verdictIs(/^No risk found/);
  });

/** A host that serves a stricter policy than the page's own. */
const wasmForbidden = (context) => context.route("**/", async (route) => {
  const response = await route.fetch();
  const headers = { ...response.headers(), "content-security-policy": "script-src 'self'" };
  await route.fulfill({ response, headers });
});

const LOAD_FAILED = /^The checker could not be loaded\. Does this browser allow WebAssembly/;

onPage("WebAssembly is forbidden: the page says so",
  { prepare: wasmForbidden, ready: false, complaints: [/WebAssembly|wasm/i] },
  async (visit) => {
    await visit.statusIs(LOAD_FAILED);
    await visit.input.fill("the field can be typed into all the same");
  });

onPage("the Wasm cannot be had: the page says so",
  { prepare: (context) => context.route("**/*.wasm", (route) => route.abort()), ready: false, complaints: [/fail/i] },
  async (visit) => visit.statusIs(LOAD_FAILED));

test("no JavaScript: the page says what it needs", async (t) => {
  const browser = await launch("--blink-settings=scriptEnabled=false");
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto((await siteBelow("/")).url);
  // Without scripts the page can only be asked for what a screen reader is told.
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const said = nodes.filter(({ role }) => role.value === "StaticText").map(({ name }) => name.value);
  assert.ok(said.some((text) => text.startsWith("The checker needs JavaScript and WebAssembly.")));
  assert.ok(!said.some((text) => text.startsWith("Loading")), "nothing is on its way");
});

onPage("what was typed before the checker was there is checked when it is",
  {
    ready: false,
    prepare: (context) => context.route("**/*.wasm", async (route) => {
      await context.pages()[0].locator("#input").fill(DEPLOYMENT);
      await route.continue();
    }, { times: 1 }),
  },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    assert.equal(await visit.input.inputValue(), DEPLOYMENT);
  });

const LINE = "Nov 30 04:19:56 node-7 kubelet[812]: I1130 04:19:56.000001     812 reconciler.go:224] \"operationExecutor started\"\n";

onPage("a log of 5 MB is checked beside the text that was there", async (visit) => {
  await visit.paste("uname -r\n");
  await visit.paste(`${LINE.repeat(Math.ceil(5 * 1024 * 1024 / LINE.length))}fs.inotify.max_user_instances = 128\n`);
  await visit.verdictIs(/^At risk/);
  await visit.page.getByRole("list", { name: "Inputs" }).getByRole("button").first().click();
  assert.equal(await visit.input.inputValue(), "uname -r\n");
});

onPage("a log of 1 MB is checked", async (visit) => {
  await visit.paste(`${LINE.repeat(Math.ceil(1024 * 1024 / LINE.length))}fs.inotify.max_user_instances = 128\n`);
  await visit.verdictIs(/^At risk/);
});
