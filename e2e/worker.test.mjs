// The rule core: loaded when it is first of use, in a worker, or within the page where workers are refused. The page
// stays usable meanwhile, also with long texts.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { EDITABLE, eventually, example } from "./visit.mjs";

const LINE = "Nov 30 04:19:56 node-7 kubelet[812]: I1130 04:19:56.000001     812 reconciler.go:224] \"operationExecutor started\"\n";
const MB = 1024 * 1024;

/** A log of that many bytes, with what matters at its end. */
const log = (bytes) => `${LINE.repeat(Math.ceil(bytes / LINE.length))}fs.inotify.max_user_instances = 128\n`;

const LIMIT = "fs.inotify.max_user_instances = 128\n";

onPage("a worker starts when somebody goes to the field, and another one when a report is wanted", async (visit) => {
  const { page } = visit;
  assert.equal(page.workers().length, 0);
  await visit.input.focus();
  await eventually(() => assert.equal(page.workers().length, 1));
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  await visit.pasteOver(log(EDITABLE / 2));
  await visit.statusIs(/^\d{4,} lines checked\. At risk/);
  assert.equal(page.workers().length, 1);
  await visit.button("Save JSON").hover();
  await eventually(() => assert.equal(page.workers().length, 2));
  await visit.saved(() => visit.click("Save JSON"));
  await visit.saved(() => visit.click("Save SARIF"));
  assert.equal(page.workers().length, 2);
});

onPage("a link to a sample needs nobody to go anywhere", { open: "#example=inotify-instances-low/bad-default-limit.txt" },
  (visit) => visit.verdictIs(/^At risk/));

onPage("what the checker was not given for want of a network is checked when that is back",
  { complaints: [/ERR_INTERNET_DISCONNECTED|Failed to fetch|error occurred when fetching the script/] },
  async (visit) => {
    const context = visit.page.context();
    await context.setOffline(true);
    await visit.paste(LIMIT);
    await visit.statusIs(/^The checker could not be loaded\. Your text is still here/);
    assert.equal(await visit.input.inputValue(), LIMIT);
    await context.setOffline(false);
    await visit.input.press("Enter");
    await visit.verdictIs(/^At risk/);
  });

const toolsMissing = (context) => context.route("**/tools-*", (route) => route.abort());

onPage("a report that cannot be written is told, and the verdict stays", { prepare: toolsMissing, complaints: [/ERR_FAILED|Failed to fetch/] },
  async (visit) => {
    await visit.paste(example("memory-volume-unlimited-writer/bad-deployment.yaml"));
    await visit.verdictIs(/^At risk/);
    await visit.click("Save JSON");
    await visit.report.getByText(/^This part of the page could not be loaded/).waitFor();
    await visit.click("Enforce this…");
    await visit.report.getByRole("region", { name: "Enforce this…" }).getByText(/^This part of the page could not be loaded/).waitFor();
    await visit.button("Apply fix").first().click();
    await visit.statusIs(/^This part of the page could not be loaded/);
    assert.equal(await visit.input.inputValue(), example("memory-volume-unlimited-writer/bad-deployment.yaml"));
    await visit.verdictIs(/^At risk/);
  });

onPage("the result of a text that is no longer there is dropped", async (visit) => {
  await visit.paste(log(EDITABLE / 2));
  await visit.pasteOver("fs.inotify.max_user_instances = 8192\n");
  await visit.statusIs(/^1 line checked\. No risk found/);
  // The worker's answer to another long text comes behind the one that was dropped.
  await visit.pasteOver(log(EDITABLE / 2));
  await visit.statusIs(/^\d{4,} lines checked\. At risk/);
});

const noWorkers = (context) => context.addInitScript(() => {
  window.Worker = class {
    constructor() {
      throw new DOMException("refused", "SecurityError");
    }
  };
});

onPage("where workers throw, texts are checked and reports written all the same", { prepare: noWorkers }, async (visit) => {
  await visit.paste(log(MB));
  await visit.verdictIs(/^At risk/);
  assert.match((await visit.saved(() => visit.click("Save JSON"))).bytes.toString(), /"verdict": "at-risk"/);
});

const workersForbidden = (context) => context.route("**/", async (route) => {
  const response = await route.fetch();
  const policy = response.headers()["content-security-policy"].replace("worker-src 'self'", "worker-src 'none'");
  await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
});

onPage("where the policy forbids workers, a long text is checked all the same",
  { prepare: workersForbidden, complaints: [/worker-src 'none'/] },
  async (visit) => {
    await visit.paste(log(MB));
    await visit.verdictIs(/^At risk/);
  });

for (const [what, length] of [["the longest text in the field", EDITABLE - 2 * LINE.length], ["a text of 1.9 MB", 1.9 * MB]]) {
  onPage(`how long ${what} holds up the page`, async (visit, t) => {
    await visit.page.evaluate(() => {
      window.tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    });
    await visit.paste("uname -r\n");
    await visit.statusIs(/checked/);
    await visit.page.evaluate(() => tasks.splice(0));
    await visit.pasteOver(log(length));
    await visit.verdictIs(/^At risk/);
    const tasks = await visit.page.evaluate(() => tasks);
    t.diagnostic(`${tasks.length} tasks of more than 50 ms, the longest ${Math.round(Math.max(0, ...tasks))} ms`);
  });
}
