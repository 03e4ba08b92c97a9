// When a text is checked, and what is said first.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { example } from "./visit.mjs";

const EXHAUSTED = example("inotify-instances-exhausted/bad-cgroup-v2-node.txt");
const MOMENT = 250;

/** Timers stand still until the test moves them. */
const stopClock = { prepare: (context) => context.clock.install({ time: 0 }) };

onPage("a paste is judged without another key or click", async (visit) => {
  await visit.paste(EXHAUSTED);
  await visit.verdictIs(/^At risk/);
  await visit.statusIs(/^45 lines checked\. At risk/);
  await visit.findings.filter({ hasText: "inotify-instances-exhausted" }).waitFor();
});

onPage("a paste is judged at once, typing when it pauses", stopClock, async (visit) => {
  const { page } = visit;
  await page.clock.pauseAt(3_600_000);
  await visit.paste("fs.inotify.max_user_instances = 128\n");
  await visit.verdictIs(/^At risk/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("fs.inotify.max_user_instances = 8192", { delay: 0 });
  await visit.statusIs(/^Checking/);
  await page.clock.runFor(MOMENT - 1);
  await visit.statusIs(/^Checking/);
  await page.clock.runFor(1);
  await visit.statusIs(/^1 line checked/);
  assert.equal(await visit.findings.count(), 0);
});
