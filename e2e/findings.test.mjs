// Findings: from finding to line and back, filters, keys, and fixes.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { eventually, example } from "./visit.mjs";

const NODE = "inotify-instances-exhausted/bad-cgroup-v2-node.txt";
const DEPLOYMENT = "memory-volume-unlimited-writer/bad-deployment.yaml";
const SEVERAL = "memory-volume-unlimited-writer/bad-init-and-sidecar.yaml";

onPage("a finding leads to its line", { open: `#example=${DEPLOYMENT}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  await visit.click("line 22", visit.findings.first());
  assert.equal(await visit.selected(), "image: busybox");
  assert.match(await visit.focused(), /^Paste a manifest/);
});

onPage("a line leads to its finding", { open: `#example=${DEPLOYMENT}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  const at = example(DEPLOYMENT).indexOf("image: busybox");
  await visit.input.focus();
  await visit.input.evaluate((input, at) => input.setSelectionRange(at, at), at);
  const title = await visit.findings.first().getByRole("heading").textContent();
  await visit.click(`line 22 → ${title}`);
  await eventually(async () => assert.ok((await visit.focused()).includes(title)));
  assert.equal(await visit.findings.first().getAttribute("aria-current"), "true");
});

onPage("a line of several findings leads back to the one that one came from", { open: `#example=${SEVERAL}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  const back = visit.page.locator("#here").getByRole("button");
  for (const number of [1, 0]) {
    const finding = visit.findings.nth(number);
    await visit.click("line 38", finding);
    await eventually(async () => assert.equal(await finding.getAttribute("aria-current"), "true"));
    await back.click();
    assert.equal(await finding.evaluate((finding) => finding === document.activeElement), true, `finding ${number}`);
  }
});

onPage("F8 and Shift+F8 go round the findings, n and p once one has the focus", { open: `#example=${NODE}` },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    const titles = await visit.findings.getByRole("heading").allTextContents();
    assert.equal(titles.length, 2);
    await visit.input.focus();
    const way = [["F8", 0], ["F8", 1], ["n", 0], ["n", 1], ["p", 0], ["Shift+F8", 1]];
    for (const [key, number] of way) {
      await visit.page.keyboard.press(key);
      assert.ok((await visit.focused()).includes(titles[number]), `${key} leads to ${number}`);
    }
    await visit.input.focus();
    await visit.page.keyboard.press("End");
    await visit.page.keyboard.type("np");
    assert.ok((await visit.input.inputValue()).includes("np"), "letters are typed where one types");
  });

onPage("Escape leads from the text to the finding that one came from, and there only", { open: `#example=${SEVERAL}` },
  async (visit) => {
    const { keyboard } = visit.page;
    await visit.verdictIs(/^At risk/);
    await visit.page.getByText(/n \/ p: next \/ previous\. Esc in the text/).waitFor();
    const text = await visit.input.inputValue();
    const hasFocus = (locator) => locator.evaluate((element) => element === document.activeElement);
    for (const number of [1, 0]) {
      const finding = visit.findings.nth(number);
      await visit.click("line 38", finding);
      await eventually(async () => assert.equal(await finding.getAttribute("aria-current"), "true"));
      await keyboard.press("Escape");
      assert.ok(await hasFocus(finding), `finding ${number}`);
    }
    await keyboard.press("n");
    assert.ok(await hasFocus(visit.findings.nth(1)));
    assert.equal(await visit.input.inputValue(), text, "nothing was typed over");
    // A line without a finding leads nowhere.
    await visit.input.focus();
    await keyboard.press("ControlOrMeta+Home");
    await eventually(async () => assert.equal(await visit.page.locator("[aria-current=true].finding").count(), 0));
    await keyboard.press("Escape");
    assert.ok(await hasFocus(visit.input));
  });

const ERROR = { open: `#example=${NODE}` };
const WARNING = { open: "#example=inotify-instances-low/bad-default-limit.txt" };

for (const [worst, options] of [["error", ERROR], ["warning", WARNING]]) {
  onPage(`verdict and risk look like the worst finding: ${worst}`, options, async (visit) => {
    await visit.verdictIs(/^At risk/);
    const card = visit.findings.first();
    assert.match(await card.locator(".severity").textContent(), new RegExp(`^${worst}`));
    const look = await lookOf(card.locator(".severity"));
    assert.deepEqual(await lookOf(visit.verdict), look);
    assert.deepEqual(await lookOf(visit.report.locator("[data-risk=inotify] .status")), look);
    await visit.page.emulateMedia({ forcedColors: "active" });
    assert.equal((await lookOf(visit.verdict)).shape, look.shape, "the shape tells without the colour");
  });
}

/** The colour of an element, and the shape of its icon. */
function lookOf(element) {
  return element.evaluate((element) => ({
    colour: getComputedStyle(element).color,
    shape: element.querySelector(".icon .outline").getAttribute("d"),
  }));
}

onPage("severities can be hidden and shown again", { open: `#example=${NODE}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  const shown = await visit.findings.count();
  const errors = visit.report.getByRole("checkbox", { name: /error/ });
  await errors.uncheck();
  await eventually(async () => assert.ok(await visit.findings.count() < shown));
  await visit.verdictIs(/^At risk/);
  await errors.check();
  await eventually(async () => assert.equal(await visit.findings.count(), shown));
});

onPage("a fix is applied, and one undo takes it back", { open: `#example=${DEPLOYMENT}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  await visit.button("Apply fix", visit.findings.first()).click();
  await visit.verdictIs(/^No risk found/);
  await visit.statusIs(/^Fixed lines? .*“Undo \(Ctrl\+Z\)” takes it back/);
  assert.match(await visit.input.inputValue(), /limits:\s+memory: 256Mi/);
  await visit.page.keyboard.press("ControlOrMeta+Z");
  assert.equal(await visit.input.inputValue(), example(DEPLOYMENT));
  await visit.verdictIs(/^At risk/);
});

onPage("all fixes of a rule are one undo step as well", { open: `#example=${SEVERAL}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  await visit.button(/^Apply all \d+ of this rule/, visit.findings.first()).click();
  await visit.verdictIs(/^No risk found/);
  await visit.page.keyboard.press("ControlOrMeta+Z");
  assert.equal(await visit.input.inputValue(), example(SEVERAL));
});

onPage("all fixes of a text, and the one that they bring to light, are one undo step, and the status counts them",
  { open: `#example=${SEVERAL}` },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    await visit.click("Apply all fixes");
    await visit.statusIs(/^Applied 3 fixes in lines \d+–\d+; “Undo \(Ctrl\+Z\)” takes it back\./);
    assert.equal(await visit.findings.count(), 0);
    await visit.input.focus();
    await visit.page.keyboard.press("ControlOrMeta+Z");
    assert.equal(await visit.input.inputValue(), example(SEVERAL));
    await visit.verdictIs(/^At risk/);
  });

onPage("all fixes are offered for each text that has several", async (visit) => {
  const fixes = visit.button(/^Apply all fixes/);
  await visit.paste(example(DEPLOYMENT));
  await visit.verdictIs(/^At risk/);
  assert.equal(await fixes.count(), 0, "one fix has its own button");
  await visit.click("Add another input");
  await visit.paste(example(SEVERAL));
  await eventually(async () => assert.deepEqual(await fixes.allTextContents(), ["Apply all fixes · paste-2"]));
  await visit.inputs.getByRole("button", { name: "Pasted text", exact: true }).click();
  await fixes.click();
  await visit.statusIs(/^Applied 3 fixes/);
  assert.equal(await visit.inputs.locator("[aria-current]").textContent(), "paste-2");
  await visit.input.focus();
  await visit.page.keyboard.press("ControlOrMeta+Z");
  assert.equal(await visit.input.inputValue(), example(SEVERAL));
});

/** The tools come when the test says so. */
let toolsMayCome;
const toolsWait = (context) => {
  const allowed = new Promise((resolve) => (toolsMayCome = resolve));
  return context.route("**/tools-*", async (route) => {
    await allowed;
    await route.continue();
  });
};

onPage("a fix for an input that is no longer on show when it comes changes nothing", { prepare: toolsWait }, async (visit) => {
  const limit = "fs.inotify.max_user_instances = 128\n";
  await visit.paste(example(DEPLOYMENT));
  await visit.click("Add another input");
  await visit.paste(limit);
  await visit.button("Apply fix").click();
  await visit.statusIs(/^Working…/);
  assert.equal(await visit.input.inputValue(), example(DEPLOYMENT), "the input of the fix is shown");
  await visit.inputs.getByRole("button", { name: "paste-2", exact: true }).click();
  // The tools do one thing after the other.
  await visit.saved(async () => {
    await visit.click("Save JSON");
    toolsMayCome();
  });
  assert.equal(await visit.input.inputValue(), limit);
  await visit.statusIs(/^35 lines checked\. At risk/);
  await visit.inputs.getByRole("button", { name: "Pasted text", exact: true }).click();
  assert.equal(await visit.input.inputValue(), example(DEPLOYMENT));
  await visit.button("Apply fix").click();
  await visit.statusIs(/^Fixed lines/);
});

onPage("what was read and what was not is listed with its lines", async (visit) => {
  await visit.paste("fs.inotify.max_user_instances = 128\nhello there, how is the node?\n");
  await visit.verdictIs(/^At risk/);
  await visit.report.getByRole("region", { name: "Detected" }).getByText("sysctl values").waitFor();
  const unused = visit.report.getByRole("region", { name: "Not used" });
  await visit.click("line 2", unused);
  assert.equal(await visit.selected(), "hello there, how is the node?");
});

onPage("an undecided risk names the command to paste next, ready to copy", async (visit) => {
  await visit.paste("kubelet --version\nKubernetes v1.26.3\n");
  const next = visit.report.getByRole("region", { name: "The four risks" });
  const command = await next.getByRole("listitem").getByRole("code").first().textContent();
  await next.getByRole("button", { name: "Copy" }).first().click();
  await next.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await visit.clipboard(), command);
});

onPage("a finding that the filter hides is shown when the cursor leads to it, and an empty list says why",
  { open: "#example=inotify-instances-exhausted/bad-cgroup-v2-node.txt" },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    for (const severity of ["1 error", "1 warning"]) {
      await visit.page.getByRole("checkbox", { name: severity }).uncheck();
    }
    await visit.report.getByText("All findings are hidden by the filter.").waitFor();
    await visit.input.press("ControlOrMeta+Home");
    await visit.input.press("ArrowDown");
    await visit.button(/^line 2 → /).click();
    await eventually(async () => assert.match(await visit.focused(), /inotify-instances-exhausted/));
    assert.equal(await visit.findings.count(), 1);
  });
