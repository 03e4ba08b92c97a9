// Long texts: checked in a worker, or without one where it is refused; the page stays usable meanwhile.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";

const LINE = "Nov 30 04:19:56 node-7 kubelet[812]: I1130 04:19:56.000001     812 reconciler.go:224] \"operationExecutor started\"\n";
const MB = 1024 * 1024;

/** A log of that many bytes, with what matters at its end. */
const log = (bytes) => `${LINE.repeat(Math.ceil(bytes / LINE.length))}fs.inotify.max_user_instances = 128\n`;

onPage("a short text needs no worker, a long one is checked in one", async (visit) => {
  await visit.paste("fs.inotify.max_user_instances = 128\n");
  await visit.verdictIs(/^At risk/);
  assert.equal(visit.page.workers().length, 0);
  await visit.pasteOver(log(MB));
  await visit.statusIs(/^\d{4,} lines checked\. At risk/);
  assert.equal(visit.page.workers().length, 1);
});

onPage("the result of a text that is no longer there is dropped", async (visit) => {
  await visit.paste(log(MB / 2));
  await visit.pasteOver("fs.inotify.max_user_instances = 8192\n");
  await visit.statusIs(/^1 line checked\. No risk found/);
  // The worker's answer to another long text comes behind the one that was dropped.
  await visit.pasteOver(log(MB / 2));
  await visit.statusIs(/^\d{4,} lines checked\. At risk/);
});

const noWorkers = (context) => context.addInitScript(() => {
  window.Worker = class {
    constructor() {
      throw new DOMException("refused", "SecurityError");
    }
  };
});

onPage("where workers throw, a long text is checked all the same", { prepare: noWorkers }, async (visit) => {
  await visit.paste(log(MB));
  await visit.verdictIs(/^At risk/);
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

onPage("how long a long text holds up the page", async (visit, t) => {
  await visit.page.evaluate(() => {
    window.tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  });
  await visit.paste("uname -r\n");
  await visit.pasteOver(log(1.9 * MB));
  await visit.verdictIs(/^At risk/);
  const tasks = await visit.page.evaluate(() => tasks);
  t.diagnostic(`1.9 MB: ${tasks.length} tasks of more than 50 ms, the longest ${Math.round(Math.max(0, ...tasks))} ms`);
});
