// Without a network, and when a new version comes. Each test has a site of its own to switch off or to change.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPage } from "./stage.mjs";
import { DIST, serve } from "./site.mjs";
import { eventually } from "./visit.mjs";

const EXAMPLE = "#example=inotify-instances-low/bad-default-limit.txt";
const OWN = [/^request to http:\/\/127\.0\.0\.1/];

/** A test on a copy of the site, below a path. */
function onCopy(name, complaints, test) {
  onPage(name, { complaints: [...OWN, ...complaints] }, async (visit) => {
    const folder = `${mkdtempSync(join(tmpdir(), "noderisk-site-"))}/`;
    cpSync(DIST, folder, { recursive: true });
    const site = await serve("/docs/tool/", folder);
    try {
      await visit.page.goto(site.url);
      await visit.page.evaluate(() => navigator.serviceWorker.ready);
      await visit.page.waitForFunction(() => navigator.serviceWorker.controller);
      await test(visit, site, folder);
    } finally {
      site.close();
      rmSync(folder, { recursive: true });
    }
  });
}

onCopy("once visited, it works without a network, and the rule pages that were read do as well", [], async (visit, site) => {
  const { page } = visit;
  await page.goto(`${site.url}rules/en/cgroup-v1-node.html`);
  site.close();
  await page.goto(`${site.url}?lang=ja${EXAMPLE}`);
  await visit.page.getByText("inotify-instances-low").first().waitFor();
  await page.reload();
  await visit.page.getByText("inotify-instances-low").first().waitFor();
  await page.goto(`${site.url}rules/en/cgroup-v1-node.html`);
  assert.equal(await page.title(), "Node on cgroup v1 · noderisk");
});

for (const [lang, ready, reload] of [
  ["en", "A new version is ready.", "Reload"],
  ["ja", "新しいバージョンがあります。", "再読み込み"],
  ["zh", "新版本已就绪。", "重新加载"],
]) {
  onCopy(`a new version is offered and keeps the text (${lang})`, [], async (visit, site, folder) => {
    const { page } = visit;
    const [before] = await page.evaluate(() => caches.keys());
    const worker = `${folder}service-worker.js`;
    writeFileSync(worker, readFileSync(worker, "utf8").replace(/^const VERSION = "\w+"/, 'const VERSION = "another"'));
    await page.goto(`${site.url}?lang=${lang}`);
    await visit.started();
    await page.getByRole("textbox").first().fill("fs.inotify.max_user_instances = 128\n");
    await page.getByText(ready).waitFor();
    assert.deepEqual((await page.evaluate(() => caches.keys())).length, 2, "the old one is in use");
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: reload, exact: true }).click()]);
    await page.getByText("inotify-instances-low").first().waitFor();
    assert.equal(await page.getByRole("textbox").first().inputValue(), "fs.inotify.max_user_instances = 128\n");
    await eventually(async () => {
      const kept = await page.evaluate(() => caches.keys());
      assert.deepEqual(kept, [before.replace(/\w+$/, "another")], "old files are gone");
    });
    assert.equal(await page.locator("#update").textContent(), "");
  });
}

onPage("where service workers are refused, it works without",
  { prepare: (context) => context.addInitScript(() => delete Navigator.prototype.serviceWorker), open: EXAMPLE },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
  });
