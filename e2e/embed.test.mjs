// The page inside another page: alone in a frame, and as <noderisk-check>.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "./site.mjs";
import { onPage, siteBelow } from "./stage.mjs";
import { eventually, example } from "./visit.mjs";

const DEPLOYMENT = example("memory-volume-unlimited-writer/bad-deployment.yaml");
const EXAMPLE = "#example=memory-volume-unlimited-writer/bad-deployment.yaml";

/** Show a page of another origin, into which the browser loads the site from its own. */
async function embeddedIn(t, page, body) {
  const { url } = await siteBelow("/");
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Docs</title><link rel="icon" href="data:,">
    <script>addEventListener("noderisk-report", ({ target, detail }) => (window.reports ??= []).push([target.id, detail]))</script>
    <script src="${url}noderisk-embed.js" defer></script>${body}`;
  const folder = `${mkdtempSync(join(tmpdir(), "noderisk-host-"))}/`;
  writeFileSync(`${folder}index.html`, html);
  const host = await serve("/", folder);
  t.after(() => {
    host.close();
    rmSync(folder, { recursive: true });
  });
  await page.goto(host.url.replace("127.0.0.1", "localhost"));
}

const onHost = (name, body, test) =>
  onPage(name, { complaints: [/^request to http:\/\/localhost:\d+\/$/] }, async (visit, t) => {
    await embeddedIn(t, visit.page, body);
    await test(visit);
  });

/** The frame of an element: a locator for what is in it, and what the page around sees. */
function frameOf(page, id) {
  const frame = page.locator(`#${id} iframe`);
  const height = () => frame.evaluate((frame) => frame.clientHeight);
  return { within: frame.contentFrame(), frame, height };
}

/** What the page around was told, by the id of the element. */
const reports = (page) => page.evaluate(() => window.reports ?? []);

onPage("embedded, it shows what was asked for", { open: `?embed=1&lang=ja&theme=dark&hide=node,privacy&readonly=1${EXAMPLE}`, ready: false },
  async ({ page }) => {
    const shown = (text) => page.getByText(text, { exact: true });
    await shown("全画面で開く").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await shown("memory-volume-unlimited-writer").waitFor();
    for (const hidden of [page.locator("header.top"), page.locator("#node"), page.locator("#privacy"), page.locator("#tools"), page.locator(".apply")]) {
      assert.equal(await hidden.first().isVisible(), false);
    }
    assert.equal(await page.locator("#input").evaluate((input) => input.readOnly), true);
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true, "the focus stays where it was");
  });

onPage("a kind of input can be asked for", { open: "?embed=1&kind=sysctl", ready: false }, async ({ page }) => {
  await page.getByPlaceholder("Paste here: sysctl values").waitFor();
});

onPage("embedded, it keeps nothing for use without a network", { open: "?embed=1", ready: false }, async ({ page }) => {
  await page.getByText("Open full page").waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
});

onHost("the element checks the text in it, grows with the answer and tells of it",
  `<input id="own" autofocus>
   <noderisk-check id="pod"><pre>${DEPLOYMENT}</pre></noderisk-check>`,
  async ({ page }) => {
    const { within, frame, height } = frameOf(page, "pod");
    await within.getByText("memory-volume-unlimited-writer").waitFor();
    assert.equal(await within.locator("#input").inputValue(), DEPLOYMENT.trimEnd());
    await eventually(async () => assert.equal(await height(), await within.locator("body").evaluate((body) => body.scrollHeight)));
    assert.ok((await height()) > 600);
    assert.equal(await frame.getAttribute("title"), "noderisk: will this take a node down?");
    assert.equal(await page.evaluate(() => document.activeElement.id), "own");
    const detail = { verdict: "at-risk", counts: { error: 1, warning: 0, info: 0 }, rules: ["memory-volume-unlimited-writer"] };
    assert.deepEqual(await reports(page), [["pod", detail]]);
    await within.getByRole("button", { name: "Clear" }).click();
    await eventually(async () => assert.ok((await height()) < 500));
  });

onHost("several elements on one page do not mix",
  `<noderisk-check id="one">fs.inotify.max_user_instances = 128</noderisk-check>
   <noderisk-check id="two" lang="zh" theme="dark"><script type="text/plain">
     uname -r
     6.12.1
   </script></noderisk-check>`,
  async ({ page }) => {
    const [one, two] = [frameOf(page, "one"), frameOf(page, "two")];
    await one.within.getByText("inotify-instances-low").waitFor();
    await two.frame.scrollIntoViewIfNeeded();
    await two.within.getByText("打开完整页面").waitFor();
    assert.equal(await two.within.locator("#input").inputValue(), "uname -r\n6.12.1");
    const told = Object.fromEntries(await reports(page));
    assert.deepEqual([told.one.rules, told.two.rules], [["inotify-instances-low"], []]);
    const theme = (within) => within.locator("html").getAttribute("data-theme");
    assert.deepEqual([await theme(one.within), await theme(two.within)], ["system", "dark"]);
    await page.locator("#two").evaluate((element) => element.setAttribute("theme", "light"));
    await eventually(async () => assert.equal(await theme(two.within), "light"));
    assert.equal(await theme(one.within), "system");
  });

onHost("messages of others are passed over",
  `<noderisk-check id="real">fs.inotify.max_user_instances = 128</noderisk-check>
   <iframe id="other" srcdoc="<p>another frame</p>"></iframe>`,
  async ({ page }) => {
    const { within, frame, height } = frameOf(page, "real");
    await within.getByText("inotify-instances-low").waitFor();
    await eventually(async () => assert.equal(await height(), await within.locator("body").evaluate((body) => body.scrollHeight)));
    const [before, channel] = [await height(), new URL(await frame.getAttribute("src")).searchParams.get("channel")];
    assert.match(channel, /^\w{16,}$/);
    // The right word from the wrong window, both in the page around and in the page itself.
    await page.locator("#other").contentFrame().locator("body").evaluate((_, channel) => {
      parent.postMessage({ type: "noderisk:height", v: 1, channel, height: 7 }, "*");
      parent[0].postMessage({ type: "noderisk:input", v: 1, text: "forged" }, "*");
    }, channel);
    // The wrong word from the right window.
    await within.locator("body").evaluate(() => parent.postMessage({ type: "noderisk:height", v: 1, channel: "guess", height: 7 }, "*"));
    // What comes after them has been taken, so they have been seen.
    await page.locator("#real").evaluate((element) => element.setAttribute("theme", "dark"));
    await eventually(async () => assert.equal(await within.locator("html").getAttribute("data-theme"), "dark"));
    assert.equal(await height(), before);
    assert.equal(await within.locator("#input").inputValue(), "fs.inotify.max_user_instances = 128");
  });

onHost("the whole page opens with the same text, language and theme",
  `<noderisk-check id="pod" lang="ja" theme="dark"><pre>${DEPLOYMENT}</pre></noderisk-check>`,
  async ({ page }) => {
    const { within } = frameOf(page, "pod");
    await within.getByText("memory-volume-unlimited-writer").waitFor();
    const [whole] = await Promise.all([page.context().waitForEvent("page"), within.getByText("全画面で開く").click()]);
    await whole.getByText("memory-volume-unlimited-writer").waitFor();
    assert.equal(await whole.locator("#input").inputValue(), DEPLOYMENT.trimEnd());
    assert.deepEqual(await whole.locator("html").evaluate(({ lang, dataset }) => [lang, dataset.theme]), ["ja", "dark"]);
    assert.equal(await whole.locator("header.top").isVisible(), true);
  });

onHost("a sandbox with scripts and the own origin is enough",
  `<noderisk-check id="pod" sandbox="allow-scripts allow-same-origin">fs.inotify.max_user_instances = 128</noderisk-check>`,
  async ({ page }) => {
    const { within } = frameOf(page, "pod");
    await within.getByText("inotify-instances-low").waitFor();
    assert.equal((await reports(page)).length, 1);
  });
