// The page inside other pages: as an element, several times, and in frames that are allowed little.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { EDITABLE, eventually, Visit } from "./visit.mjs";

const LIMIT = "fs.inotify.max_user_instances = 128";
const ENOUGH = "fs.inotify.max_user_instances = 8192";

/** A page of documentation with `body` in it, which hears every report. */
const documentation = (body) => (address) => `<!doctype html>
<html lang="en"><title>Runbook</title>
<script src="${address}noderisk-embed.js" defer></script>
<script>
  var reports = [];
  addEventListener("noderisk-report", ({ target, detail }) => reports.push({ id: target.id, ...detail }));
</script>
<h1>Runbook</h1>
${body}
<p>End of the runbook.</p>
</html>`;

const inside = (visit, at = 0) => new Visit(visit.page.frameLocator("iframe").nth(at));

/** The frame is exactly as high as what is in it: nothing is cut off, nothing scrolls in it. */
async function fits(visit, at = 0) {
  const frame = visit.page.locator("iframe").nth(at);
  await eventually(async () => {
    const { height } = await frame.boundingBox();
    const content = await inside(visit, at).page.locator("body").evaluate((body) => body.getBoundingClientRect().height);
    assert.equal(height, Math.ceil(content));
  });
}

onPage("the element checks its text and is as high as the answer",
  { host: documentation(`<noderisk-check><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    const check = inside(visit);
    await check.verdictIs(/^At risk/);
    assert.equal(await check.input.inputValue(), LIMIT);
    await fits(visit);
    assert.match(await visit.page.locator("iframe").getAttribute("title"), /^noderisk: /);
    const before = await visit.page.locator("iframe").boundingBox();
    await check.input.fill(ENOUGH);
    await check.verdictIs(/^No risk found/);
    await fits(visit);
    const after = await visit.page.locator("iframe").boundingBox();
    assert.ok(after.height < before.height, "it shrinks as well");
  });

onPage("where the page cannot be reached, readers get the text",
  { host: documentation(`<noderisk-check src="http://127.0.0.1:9/"><pre>${LIMIT}</pre></noderisk-check>`), complaints: [/^request to http:\/\/127\.0\.0\.1:9\//] },
  async (visit) => {
    await visit.page.getByText(LIMIT).waitFor({ timeout: 30_000 });
  });

onPage("loading it takes neither the focus nor the view",
  { host: documentation(`<noderisk-check><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    await inside(visit).verdictIs(/^At risk/);
    const { focus, scrolled } = await visit.page.evaluate(() => ({ focus: document.activeElement.tagName, scrolled: scrollY }));
    assert.deepEqual({ focus, scrolled }, { focus: "BODY", scrolled: 0 });
  });

onPage("several on one page keep apart",
  { host: documentation(`<noderisk-check id="a"><pre>${LIMIT}</pre></noderisk-check><noderisk-check id="b"><pre>${ENOUGH}</pre></noderisk-check>`),
    viewport: { width: 1280, height: 2000 } },
  async (visit) => {
    await inside(visit, 0).verdictIs(/^At risk/);
    await inside(visit, 1).verdictIs(/^No risk found/);
    await fits(visit, 0);
    await fits(visit, 1);
    const verdicts = await visit.page.evaluate(() => reports.map(({ id, verdict }) => `${id} ${verdict}`).sort());
    assert.deepEqual([...new Set(verdicts)], ["a at-risk", "b no-risk-found"]);
  });

onPage("the page around hears counts and rules, and nothing of the text",
  { host: documentation(`<noderisk-check id="a"><pre># secret-word\n${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    await inside(visit).verdictIs(/^At risk/);
    await eventually(async () => assert.ok(await visit.page.evaluate(() => reports.length > 0)));
    const [report] = await visit.page.evaluate(() => reports);
    assert.deepEqual(report.rules, ["inotify-instances-low"]);
    assert.equal(report.counts.warning, 1);
    assert.ok(!JSON.stringify(report).includes("secret-word"));
  });

onPage("the element follows the theme and language that it is given",
  { host: documentation(`<noderisk-check lang="ja" theme="dark"><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    const { page } = inside(visit);
    await page.getByRole("heading", { name: "リスクあり" }).waitFor();
    const theme = () => page.locator("html").getAttribute("data-theme");
    assert.equal(await theme(), "dark");
    await visit.page.evaluate(() => document.querySelector("noderisk-check").setAttribute("theme", "light"));
    await eventually(async () => assert.equal(await theme(), "light"));
  });

onPage("without a theme of its own, the element looks like the page around, also after a switch",
  { host: documentation(`<style>body { background: #fff; transition: background 0.2s } .night body { background: #111 }</style>
    <noderisk-check><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    await inside(visit).verdictIs(/^At risk/);
    const theme = () => inside(visit).page.locator("html").getAttribute("data-theme");
    assert.equal(await theme(), "light");
    await visit.page.evaluate(() => document.documentElement.classList.add("night"));
    await eventually(async () => assert.equal(await theme(), "dark"));
  });

const GROUNDS = [
  ["a tag for both themes, in the dark", '<meta name="color-scheme" content="light dark">', "dark", "dark"],
  ["a tag for both themes, in the light", '<meta name="color-scheme" content="light dark">', "light", "light"],
  ["a style that is dark alone", "<style>:root { color-scheme: dark }</style>", "light", "dark"],
  ["a style that is light alone", "<style>:root { color-scheme: light }</style>", "dark", "light"],
];

for (const [name, head, colorScheme, ground] of GROUNDS) {
  onPage(`on a page that leaves its ground to the browser, the element is like it: ${name}`,
    { host: documentation(`${head}<noderisk-check><pre>${LIMIT}</pre></noderisk-check>`), colorScheme },
    async (visit) => {
      await inside(visit).verdictIs(/^At risk/);
      const color = await inside(visit).page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
      const brightest = Math.max(...color.match(/\d+/g).map(Number));
      assert.equal(brightest < 128 ? "dark" : "light", ground, color);
    });
}

onPage("messages of others are passed over",
  { host: documentation(`<noderisk-check><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    const check = new Visit(visit.page.frameLocator("noderisk-check iframe"));
    const frame = visit.page.locator("noderisk-check iframe");
    await check.verdictIs(/^At risk/);
    await fits(visit);
    const { height } = await frame.boundingBox();
    const channel = new URL(await frame.getAttribute("src")).searchParams.get("channel");
    assert.match(channel, /^\w{16,}$/);
    // The right word from the wrong window, to the page around and to the page itself.
    await visit.page.evaluate(() => {
      const frame = Object.assign(document.createElement("iframe"), { id: "other", srcdoc: "<p>another frame</p>" });
      document.body.append(frame);
    });
    await visit.page.frameLocator("#other").locator("p").evaluate((_, channel) => {
      parent.postMessage({ type: "noderisk:height", v: 1, channel, height: 7 }, "*");
      parent[0].postMessage({ type: "noderisk:input", v: 1, text: "forged" }, "*");
    }, channel);
    // The wrong word from the right window.
    await check.page.locator("body").evaluate(() => parent.postMessage({ type: "noderisk:height", v: 1, channel: "guess", height: 7 }, "*"));
    // Once a later message has arrived, the earlier ones have been seen.
    await visit.page.evaluate(() => document.querySelector("noderisk-check").setAttribute("theme", "dark"));
    await eventually(async () => assert.equal(await check.page.locator("html").getAttribute("data-theme"), "dark"));
    assert.equal((await frame.boundingBox()).height, height);
    assert.equal(await check.input.inputValue(), LIMIT);
  });

onPage("a text that is to be read cannot be changed",
  { host: documentation(`<noderisk-check readonly hide="examples,files"><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    const check = inside(visit);
    await check.verdictIs(/^At risk/);
    const text = check.page.getByRole("textbox", { name: "The text that is checked" });
    assert.equal(await text.inputValue(), LIMIT);
    assert.equal(await text.isEditable(), false);
    assert.equal(await check.button("Open file…").isVisible(), false);
  });

for (const [lang, paste, nothing] of [["en", /paste/i, "There is no text"], ["ja", /貼り付け/, "まだありません"], ["zh", /粘贴/, "还没有"]]) {
  onPage(`where nothing can be pasted, nothing speaks of it: ${lang}`,
    { host: (address) => `<!doctype html><iframe title="check" src="${address}?embed=1&readonly=1&lang=${lang}" width="400" height="600"></iframe>` },
    async (visit) => {
      const { page } = inside(visit);
      await page.locator("#status").getByText(nothing).waitFor();
      assert.doesNotMatch(await page.locator("body").innerText(), paste);
      assert.equal(await page.locator("#input").getAttribute("placeholder"), "");
    });
}

onPage("the whole page takes over the text from the embedded one",
  { host: documentation(`<noderisk-check><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    const check = inside(visit);
    await check.verdictIs(/^At risk/);
    const [opened] = await Promise.all([
      visit.page.context().waitForEvent("page"),
      check.page.getByRole("link", { name: "Open full page" }).click(),
    ]);
    const whole = new Visit(opened);
    await whole.verdictIs(/^At risk/);
    assert.equal(await whole.input.inputValue(), LIMIT);
    assert.ok(!new URL(opened.url()).search.includes("embed"));
  });

const SANDBOXES = [
  ["scripts and its own origin", "allow-scripts allow-same-origin"],
  ["scripts alone", "allow-scripts"],
];

for (const [what, sandbox] of SANDBOXES) {
  onPage(`in a sandbox that allows ${what}, it checks and fits`,
    { host: documentation(`<noderisk-check sandbox="${sandbox}"><pre>${LIMIT}</pre></noderisk-check>`) },
    async (visit) => {
      await inside(visit).verdictIs(/^At risk/);
      await fits(visit);
    });
}

onPage("a plain frame works without the script of the element",
  { host: (address) => `<!doctype html><iframe title="check" src="${address}?embed=1&lang=zh&kind=sysctl" width="400" height="600"></iframe>` },
  async (visit) => {
    const { page } = inside(visit);
    await page.locator("#input").fill(LIMIT);
    await page.getByRole("heading", { name: "有风险" }).waitFor();
    const sideways = await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
    assert.equal(sideways, 0);
  });

/** A page with a plain frame in it, which opens `query`. */
const framed = (query) => (address) => `<!doctype html>
<script>
  var ready = new Promise((resolve) => addEventListener("message", ({ data }) => data.type === "noderisk:ready" && resolve()));
</script>
<iframe title="check" src="${address}?embed=1${query}" width="600" height="800"></iframe>`;

/** Send a text, repeated, to the page in the frame. */
const send = (visit, text, times = 1) => visit.page.evaluate(async ([text, times]) => {
  await ready;
  frames[0].postMessage({ type: "noderisk:input", v: 1, text: text.repeat(times) }, "*");
}, [text, times]);

onPage("a text is read as the kind that is asked for, until the reader chooses another", { host: framed("&kind=mounts") },
  async (visit) => {
    const check = inside(visit);
    await check.input.fill(LIMIT);
    await check.verdictIs(/^Cannot judge/);
    assert.equal(await check.readAs("Pasted text").inputValue(), "mounts");
    await check.readAs("Pasted text").selectOption("");
    await check.verdictIs(/^At risk/);
    await check.input.fill(`# edited\n${LIMIT}`);
    await check.statusIs(/^2 lines checked\. At risk/);
    await check.click("Clear");
    await check.input.fill(LIMIT);
    await check.verdictIs(/^Cannot judge/);
  });

onPage("a text that is sent is read as the kind that is asked for",
  { host: documentation(`<noderisk-check kind="mounts"><pre>${LIMIT}</pre></noderisk-check><noderisk-check kind="sysctl"><pre>${LIMIT}</pre></noderisk-check>`),
    viewport: { width: 1280, height: 2000 } },
  async (visit) => {
    await inside(visit, 0).verdictIs(/^Cannot judge/);
    assert.equal(await inside(visit, 0).readAs("Pasted text").inputValue(), "mounts");
    await inside(visit, 1).verdictIs(/^At risk/);
    assert.equal(await inside(visit, 1).readAs("Pasted text").inputValue(), "sysctl");
  });

const EXAMPLE = "#example=inotify-instances-low/bad-default-limit.txt";
/** Carries the limit and no kind; made by hand with zlib, as are the others of its kind in share.test.mjs. */
const LINK = "#v1.d=q1YqSa0oUbJSSivWy8zLL8lMq9TLTayILy1OLYrPzCsuScxLTi1WsFUwNLKIyVOqBQA";
/** Carries the limit as `sysctl`, and a Pod. */
const OF_KIND = "#v2.d=VY-xagMxDIZfRXi-XEmmYujWNZCpSy4E5axQ00g2Z9015vC7127SoeP_6_sktBqluxprrqn3EtRfc894P8-JprOXpCgjJXiD7e51ENMZQaaKS3DUazU78-XF1SblNOqtZg5TJY7rHxqD6zNyGz1vNcPCIbhBMPoPmpIPYmHZDsKk6FDRwtp0C990KYOkSKMdBGAMouilKr9xAw8KY2wRYAm3mWkfZtFk4fhcsnTArTqgflp4Wcqp0Q_2P0YcNb_7qd5ncn5mC3uqH-XSHFNO5Qc";

for (const [what, fragment, verdict, name, kind] of [
  ["an example in the fragment", EXAMPLE, /^Cannot judge/, "Pasted text", "log"],
  ["a link without a kind", LINK, /^Cannot judge/, "Pasted text", "log"],
  ["a link with a kind of its own", OF_KIND, /^At risk/, "node.txt", "sysctl"],
]) {
  onPage(`the kind that is asked for and ${what}`, { host: framed(`&kind=log${fragment}`) }, async (visit) => {
    const check = inside(visit);
    await check.verdictIs(verdict);
    assert.equal(await check.readAs(name).inputValue(), kind);
  });
}

onPage("an unknown kind is passed over", { host: framed("&kind=nonsense") }, async (visit) => {
  const check = inside(visit);
  assert.equal(await check.input.getAttribute("placeholder"), "Paste here, or drop a file anywhere on the page.");
  await check.input.fill(LIMIT);
  await check.verdictIs(/^At risk/);
  assert.equal(await check.readAs("Pasted text").inputValue(), "");
});

onPage("an example that the reader chooses tells itself what it is", { host: framed("&kind=mounts") }, async (visit) => {
  const check = inside(visit);
  await check.loadExample(EXAMPLE.replace("#example=", ""));
  await check.verdictIs(/^At risk/);
});

onPage("a long text that is sent is held beside the field, and read as the kind that is asked for",
  { host: framed("&kind=sysctl") },
  async (visit) => {
    const check = inside(visit);
    await send(visit, `${LIMIT}\n`, EDITABLE / 32);
    await check.verdictIs(/^At risk/);
    await check.page.getByText(/^Too long to be edited here/).waitFor();
    assert.equal(await check.input.count(), 0, "the field is hidden");
    assert.equal(await check.page.locator("#input").inputValue(), "");
    assert.equal(await check.readAs("Pasted text").inputValue(), "sysctl");
    await check.page.getByText(/^Open full page Texts too long to be edited do not go along/).waitFor();
    await send(visit, ENOUGH);
    await check.verdictIs(/^No risk found/);
    assert.equal(await check.input.inputValue(), ENOUGH);
    assert.equal(await check.page.getByText(/do not go along/).count(), 0);
  });

onPage("of a text that is beyond all limits the start is checked",
  { host: framed("") },
  async (visit) => {
    const check = inside(visit);
    await send(visit, "a line of a log that never ends\n", 400_000);
    await check.page.getByText("only the first 10.0 MB are checked").first().waitFor();
  });

onPage("an embedded page leaves nothing behind",
  { host: documentation(`<noderisk-check><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    await inside(visit).verdictIs(/^At risk/);
    assert.deepEqual(visit.page.context().serviceWorkers(), []);
    const left = await visit.page.frames().at(-1).evaluate(async () => [localStorage.length, (await caches.keys()).length]);
    assert.deepEqual(left, [0, 0]);
  });

onPage("texts by message take no focus from the page around",
  { host: documentation(`<input id="mine"><noderisk-check id="a"><pre>${LIMIT}</pre></noderisk-check>`) },
  async (visit) => {
    const { page } = visit;
    await inside(visit).verdictIs(/^At risk/);
    await page.locator("#mine").focus();
    await page.keyboard.type("one ");
    await page.evaluate((text) => {
      const { shadowRoot } = document.getElementById("a");
      shadowRoot.querySelector("iframe").contentWindow.postMessage({ type: "noderisk:input", v: 1, text }, "*");
    }, ENOUGH);
    await inside(visit).verdictIs(/^No risk found/);
    await page.keyboard.type("two");
    assert.equal(await page.locator("#mine").inputValue(), "one two");
  });

onPage("an address that is none is passed over",
  { host: documentation(`<noderisk-check src="http://[bad"><pre>${LIMIT}</pre></noderisk-check>`) },
  (visit) => inside(visit).verdictIs(/^At risk/));
