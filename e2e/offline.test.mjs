// Without a network, and when there is a new version.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DIST } from "./site.mjs";
import { onPage, siteBelow } from "./stage.mjs";

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

onPage("a new version is offered, and takes over with the text kept", { base: "/updated/" }, async (visit) => {
  const { page } = visit;
  await kept(visit);
  await page.reload();
  await visit.started();
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  const site = await siteBelow("/updated/");
  const worker = readFileSync(`${DIST}service-worker.js`, "utf8");
  site.replace.set("/updated/service-worker.js", worker.replace(/VERSION = "[^"]*"/, 'VERSION = "next"'));
  assert.notEqual(site.replace.get("/updated/service-worker.js"), worker);
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  const notice = page.getByRole("status").filter({ hasText: "A new version is ready." });
  await notice.waitFor();
  assert.equal(await visit.input.inputValue(), LIMIT, "nothing changes unasked");
  await Promise.all([page.waitForEvent("load"), visit.click("Reload", notice)]);
  await visit.started();
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.input.inputValue(), LIMIT);
  assert.equal(await page.getByText("A new version is ready.").count(), 0);
});
