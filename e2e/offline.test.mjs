// Without a network, and when there is a new version.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DIST } from "./site.mjs";
import { onPage, siteBelow } from "./stage.mjs";
import { EDITABLE } from "./visit.mjs";

const LIMIT = "fs.inotify.max_user_instances = 128\n";

/** All that is needed offline is kept, once something has been checked. */
async function kept(visit) {
  await visit.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  await visit.page.waitForFunction(async () => {
    const keys = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    return keys.flat().filter(({ url }) => /(checker|tools)-/.test(url)).length === 4;
  });
}

onPage("used once, the page is there when the server is not, all of it", { base: "/gone/" }, async (visit) => {
  await kept(visit);
  (await siteBelow("/gone/")).close();
  await visit.page.reload();
  await visit.started();
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  assert.match((await visit.saved(() => visit.click("Save JSON"))).bytes.toString(), /"verdict": "at-risk"/);
});

onPage("only looked at, the page opens without a network and says what is missing",
  { base: "/seen/", complaints: [/ERR_|Failed to fetch/] },
  async (visit) => {
    await visit.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    (await siteBelow("/seen/")).close();
    await visit.page.reload();
    await visit.started();
    await visit.paste(LIMIT);
    await visit.statusIs(/^The checker could not be loaded\. Your text is still here/);
  });

onPage("links and samples open without a network as well", { base: "/gone-too/" }, async (visit) => {
  await kept(visit);
  await visit.page.context().setOffline(true);
  (await siteBelow("/gone-too/")).close();
  const page = await visit.page.context().newPage();
  await page.goto(`${visit.page.url()}#example=inotify-instances-low/bad-default-limit.txt`);
  await page.getByRole("heading", { name: /^At risk/ }).waitFor();
});

/** The page, kept once, after `fill`, and the notice that there is a new version. */
async function noticed(visit, base, fill) {
  const { page } = visit;
  await kept(visit);
  await page.reload();
  await visit.started();
  await fill();
  const site = await siteBelow(base);
  const worker = readFileSync(`${DIST}service-worker.js`, "utf8");
  site.replace.set(`${base}service-worker.js`, worker.replace(/VERSION = "[^"]*"/, 'VERSION = "next"'));
  assert.notEqual(site.replace.get(`${base}service-worker.js`), worker);
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  const notice = page.getByRole("status").filter({ hasText: "A new version is ready." });
  await notice.waitFor();
  return notice;
}

/** Reload by the button with that name. */
async function reload(visit, name, notice) {
  await Promise.all([visit.page.waitForEvent("load"), visit.click(name, notice)]);
  await visit.started();
}

onPage("a new version is offered, and takes over with the text kept", { base: "/updated/" }, async (visit) => {
  const { page } = visit;
  const notice = await noticed(visit, "/updated/", async () => {
    await visit.paste(LIMIT);
    await visit.verdictIs(/^At risk/);
  });
  assert.equal(await visit.input.inputValue(), LIMIT, "nothing changes unasked");
  await reload(visit, "Reload", notice);
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.input.inputValue(), LIMIT);
  assert.equal(await page.getByText("A new version is ready.").count(), 0);
});

onPage("what was typed of the node outlives the new version also beside a sample", { base: "/updated-node/" }, async (visit) => {
  const pods = visit.page.getByRole("textbox", { name: "Max pods" });
  const notice = await noticed(visit, "/updated-node/", async () => {
    await visit.loadExample("inotify-instances-low/bad-default-limit.txt");
    await visit.verdictIs(/^At risk/);
    await visit.page.getByText("About the node").click();
    await pods.fill("20");
    await pods.blur();
    await visit.verdictIs(/^No risk found/);
  });
  await reload(visit, "Reload", notice);
  await visit.verdictIs(/^No risk found/);
  await visit.page.getByText("About the node: max pods 20").waitFor();
});

onPage("a text too long to be taken along holds the new version up until the user agrees, and the others are kept",
  { base: "/updated-long/" },
  async (visit) => {
    const { page } = visit;
    const notice = await noticed(visit, "/updated-long/", async () => {
      await visit.paste("# chatter\n".repeat(EDITABLE / 10 + 1));
      await visit.click("Add another input");
      await visit.paste(LIMIT);
      await visit.verdictIs(/^At risk/);
    });
    await page.evaluate(() => (window.isTheSame = true));
    await visit.click("Reload", notice);
    await notice.getByText("Texts this long cannot be taken along").waitFor();
    assert.equal(await page.evaluate(() => window.isTheSame), true, "nothing was reloaded");
    assert.deepEqual(await visit.inputNames(), ["Pasted text", "paste-2"]);
    await reload(visit, "Reload anyway", notice);
    await visit.verdictIs(/^At risk/);
    assert.equal(await page.evaluate(() => window.isTheSame), undefined);
    assert.equal(await visit.input.inputValue(), LIMIT);
    assert.deepEqual(await visit.inputNames(), ["paste-2"]);
  });
