// Samples: at hand, and never at the cost of what was typed.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { eventually, example } from "./visit.mjs";

const BAD = "memory-volume-unlimited-writer/bad-deployment.yaml";
const GOOD = "memory-volume-unlimited-writer/good-deployment.yaml";
const MINE = "# my own notes\nfs.inotify.max_user_instances = 8192\n";

const samples = (visit) => visit.page.getByRole("combobox", { name: "Examples" });

onPage("a bad and a good sample of a rule say what their names say", async (visit) => {
  await samples(visit).selectOption(BAD);
  await visit.verdictIs(/^At risk/);
  await samples(visit).selectOption(GOOD);
  await visit.verdictIs(/^No risk found/);
  assert.equal(await visit.input.inputValue(), example(GOOD));
});

onPage("every rule offers a sample that is risky and one that is safe", async (visit) => {
  const groups = await samples(visit).locator("optgroup").evaluateAll((groups) =>
    groups.map((group) => [group.label, [...group.querySelectorAll("option")].map((option) => option.label)]));
  assert.ok(groups.length > 20, `${groups.length} rules`);
  for (const [rule, labels] of groups) {
    assert.ok(labels.some((label) => label.startsWith("risky: ")), rule);
    assert.ok(labels.some((label) => label.startsWith("safe: ")), rule);
  }
});

onPage("a sample is one click away on the empty page", async (visit) => {
  await visit.click("Memory volume that nothing limits");
  await visit.verdictIs(/^At risk/);
});

onPage("a sample has an address of its own", { open: `#example=${BAD}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.input.inputValue(), example(BAD));
  await visit.page.evaluate((hash) => (location.hash = hash), `example=${GOOD}`);
  await visit.verdictIs(/^No risk found/);
});

onPage("a typed text comes back after a sample, by button", async (visit) => {
  await visit.paste(MINE);
  await samples(visit).selectOption(BAD);
  await visit.verdictIs(/^At risk/);
  await visit.click("Bring my text back");
  await visit.verdictIs(/^No risk found/);
  assert.equal(await visit.input.inputValue(), MINE);
});

onPage("a typed text comes back after a sample, by undo", async (visit) => {
  await visit.paste(MINE);
  await samples(visit).selectOption(BAD);
  await visit.verdictIs(/^At risk/);
  await visit.input.focus();
  await visit.page.keyboard.press("ControlOrMeta+Z");
  assert.equal(await visit.input.inputValue(), MINE);
  await visit.verdictIs(/^No risk found/);
});

onPage("a cleared text comes back", async (visit) => {
  await visit.paste(MINE);
  await visit.click("Clear");
  await visit.statusIs(/^Ready/);
  assert.equal(await visit.input.inputValue(), "");
  await visit.click("Bring my text back");
  assert.equal(await visit.input.inputValue(), MINE);
});

onPage("what a sample took away stays to be brought back through further samples", async (visit) => {
  const samples = visit.page.getByRole("combobox", { name: "Examples" });
  await visit.paste("uname -r\n5.4.0\n");
  await visit.verdictIs(/^Cannot judge/);
  for (const sample of ["inotify-instances-low/bad-default-limit.txt", "memory-volume-unlimited-writer/bad-deployment.yaml"]) {
    await samples.selectOption(sample);
    await visit.verdictIs(/^At risk/);
  }
  await visit.click("Clear");
  await visit.click("Bring my text back");
  await eventually(async () => assert.equal(await visit.input.inputValue(), "uname -r\n5.4.0\n"));
  assert.equal(await visit.button("Bring my text back").count(), 0);
});
