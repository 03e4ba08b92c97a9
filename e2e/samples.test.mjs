// Samples: at hand, and never at the cost of what was typed.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { eventually, example } from "./visit.mjs";

const BAD = "memory-volume-unlimited-writer/bad-deployment.yaml";
const GOOD = "memory-volume-unlimited-writer/good-deployment.yaml";
const MINE = "# my own notes\nfs.inotify.max_user_instances = 8192\n";

const samples = (visit) => visit.page.getByRole("combobox", { name: "Examples" });

onPage("a bad and a good sample of a rule say what their names say", async (visit) => {
  await visit.loadExample(BAD);
  await visit.verdictIs(/^At risk/);
  await visit.loadExample(GOOD);
  await visit.verdictIs(/^No risk found/);
  assert.equal(await visit.input.inputValue(), example(GOOD));
});

/** The title of each rule with the labels of its samples. */
function offered({ page }) {
  return page.locator("#examples optgroup").evaluateAll((groups) =>
    groups.map((group) => [group.label, [...group.querySelectorAll("option")].map((option) => option.label)]));
}

onPage("every rule offers a sample that is risky and one that is safe", async (visit) => {
  const groups = await offered(visit);
  assert.ok(groups.length > 20, `${groups.length} rules`);
  for (const [rule, labels] of groups) {
    assert.ok(labels.some((label) => label.startsWith("risky: ")), rule);
    assert.ok(labels.some((label) => label.startsWith("safe: ")), rule);
  }
});

for (const [locale, label] of [["ja", /^(リスクあり|問題なし) \d+$/], ["zh", /^(有风险|正常) \d+$/]]) {
  onPage(`what a sample shows is said in the page's language: ${locale}`, { locale }, async (visit) => {
    for (const [rule, labels] of await offered(visit)) {
      labels.forEach((said) => assert.match(said, label, rule));
      assert.equal(new Set(labels).size, labels.length, rule);
    }
  });
}

onPage("keys that go through the list change nothing until the sample is loaded", async (visit) => {
  const { keyboard } = visit.page;
  await visit.paste(MINE);
  await visit.verdictIs(/^No risk found/);
  const [list, load] = [samples(visit), visit.button("Load example")];
  assert.equal(await load.isDisabled(), true, "nothing is chosen");
  await list.focus();
  for (let times = 0; times < 3; times++) {
    await keyboard.press("ArrowDown");
  }
  const chosen = await list.inputValue();
  assert.notEqual(chosen, "");
  assert.equal(await visit.input.inputValue(), MINE);
  assert.equal(await visit.focused(), "Examples");
  await keyboard.press("Tab");
  assert.equal(await visit.focused(), "Load example");
  await keyboard.press("Enter");
  await eventually(async () => assert.equal(await visit.input.inputValue(), example(chosen)));
  assert.equal(await list.inputValue(), chosen);
  assert.equal(await visit.focused(), "Report", "the focus goes to what the button has brought");
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
  await visit.loadExample(BAD);
  await visit.verdictIs(/^At risk/);
  await visit.click("Bring my text back");
  await visit.verdictIs(/^No risk found/);
  assert.equal(await visit.input.inputValue(), MINE);
});

onPage("a typed text comes back after a sample, by undo", async (visit) => {
  await visit.paste(MINE);
  await visit.loadExample(BAD);
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
  await visit.paste("uname -r\n5.4.0\n");
  await visit.verdictIs(/^Cannot judge/);
  for (const sample of ["inotify-instances-low/bad-default-limit.txt", "memory-volume-unlimited-writer/bad-deployment.yaml"]) {
    await visit.loadExample(sample);
    await visit.verdictIs(/^At risk/);
  }
  await visit.click("Clear");
  await visit.click("Bring my text back");
  await eventually(async () => assert.equal(await visit.input.inputValue(), "uname -r\n5.4.0\n"));
  assert.equal(await visit.button("Bring my text back").count(), 0);
});

onPage("a pasted text comes back as it was, its last line feed included", async (visit) => {
  await visit.paste("hello\n");
  await visit.statusIs(/checked/);
  await visit.loadExample(BAD);
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.input.inputValue(), example(BAD));
  await visit.click("Bring my text back");
  assert.equal(await visit.input.inputValue(), "hello\n");
});
