// The list of inputs: of what kind each is read, which is removed and comes back, and what is too long for the field.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { EDITABLE, POD, eventually, example } from "./visit.mjs";

const SYSCTL = "fs.inotify.max_user_instances = 128\n";

/** The rules that fire. */
async function rulesAre(visit, ...rules) {
  await eventually(async () => assert.deepEqual(await visit.rules(), rules));
}

onPage("an input is read as the kind that is chosen, and by itself again", async (visit) => {
  await visit.paste(`${POD}---\n${SYSCTL}`);
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
  const kind = visit.readAs("Pasted text");
  await kind.selectOption("sysctl values");
  await rulesAre(visit, "inotify-instances-low");
  await kind.selectOption("Kubernetes manifest");
  await rulesAre(visit, "memory-volume-unlimited-writer");
  await kind.selectOption("mounts");
  await visit.verdictIs(/^Cannot judge/);
  await visit.report.getByRole("region", { name: "Not used" }).getByText("lines 1–10").waitFor();
  await kind.selectOption("Read as: auto");
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
});

onPage("the kind is chosen with the keyboard, and holds for what is typed then", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.verdictIs(/^At risk/);
  const kind = visit.readAs("Pasted text");
  await kind.focus();
  await visit.page.keyboard.type("mounts");
  await visit.verdictIs(/^Cannot judge/);
  await visit.input.focus();
  await visit.page.keyboard.press("ControlOrMeta+End");
  await visit.page.keyboard.type("fs.inotify.max_user_watches = 8192");
  await visit.statusIs(/^2 lines checked\. Cannot judge/);
  assert.equal(await kind.inputValue(), "mounts");
});

onPage("each input has its own kind", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.click("Add another input");
  await visit.paste(POD);
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
  await visit.readAs("paste-2").selectOption("log");
  await rulesAre(visit, "inotify-instances-low");
  assert.equal(await visit.readAs("Pasted text").inputValue(), "");
});

onPage("a removed input no longer counts, and comes back with its kind", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.click("Add another input");
  await visit.paste(POD);
  await visit.readAs("paste-2").selectOption("manifest");
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
  await visit.click("Remove paste-2");
  await rulesAre(visit, "inotify-instances-low");
  assert.equal(await visit.input.inputValue(), SYSCTL);
  assert.deepEqual(await visit.inputNames(), ["Pasted text"]);
  await visit.click("Bring my text back");
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
  assert.deepEqual(await visit.inputNames(), ["Pasted text", "paste-2"]);
  assert.equal(await visit.input.inputValue(), POD, "the one that was on show");
  assert.equal(await visit.readAs("paste-2").inputValue(), "manifest");
});

onPage("an input beside the one on show is removed, and that one stays", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.click("Add another input");
  await visit.paste(POD);
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
  await visit.click("Remove Pasted text");
  await rulesAre(visit, "memory-volume-unlimited-writer");
  assert.equal(await visit.input.inputValue(), POD);
});

/** Press undo in the field, as often as anybody would. */
async function undo(visit) {
  await visit.input.focus();
  for (let times = 0; times < 4; times++) {
    await visit.page.keyboard.press("ControlOrMeta+Z");
  }
}

onPage("undo never brings the text of another input", async (visit) => {
  const show = (name) => visit.inputs.getByRole("button", { name, exact: true }).click();
  await visit.paste(SYSCTL);
  await visit.click("Add another input");
  await undo(visit);
  assert.equal(await visit.input.inputValue(), "", "added");
  await visit.paste(POD);
  await show("Pasted text");
  await undo(visit);
  assert.equal(await visit.input.inputValue(), SYSCTL, "shown");
  await show("paste-2");
  await visit.pasteOver(SYSCTL);
  await show("Pasted text");
  await undo(visit);
  assert.equal(await visit.input.inputValue(), SYSCTL, "shown, with the same text");
  await show("paste-2");
  await visit.pasteOver(POD);
  await visit.click("Remove paste-2");
  await undo(visit);
  assert.equal(await visit.input.inputValue(), SYSCTL, "what was beside a removed one");
  await visit.click("Bring my text back");
  await undo(visit);
  assert.equal(await visit.input.inputValue(), POD, "brought back");
  await visit.loadExample("inotify-instances-low/bad-default-limit.txt");
  await undo(visit);
  assert.equal(await visit.input.inputValue(), example("inotify-instances-low/bad-default-limit.txt"), "a sample in place of two");
});

onPage("undo goes on in the input that stays on show", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.click("Add another input");
  await visit.paste(POD);
  await visit.page.keyboard.type("x");
  await visit.click("Remove Pasted text");
  await eventually(async () => assert.deepEqual(await visit.inputNames(), ["paste-2"]));
  await visit.input.focus();
  await visit.page.keyboard.press("ControlOrMeta+Z");
  assert.equal(await visit.input.inputValue(), POD);
});

onPage("all inputs are cleared and come back together", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.click("Add another input");
  await visit.paste(POD);
  await visit.verdictIs(/^At risk/);
  await visit.click("Clear");
  await visit.statusIs(/^Ready/);
  assert.equal(await visit.input.inputValue(), "");
  assert.equal(await visit.inputs.count(), 0);
  await visit.click("Bring my text back");
  assert.deepEqual(await visit.inputNames(), ["Pasted text", "paste-2"]);
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
});

/** Chatter of that many characters, with what matters at its end. */
const chatter = (length) => "a line of chatter\n".repeat(Math.ceil(length / 18)).slice(0, length - SYSCTL.length - 1) + "\n" + SYSCTL;

onPage("the longest text that can be edited stays in the field, a longer one is held beside it", async (visit) => {
  await visit.paste(chatter(EDITABLE));
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.input.evaluate((input) => input.value.length), EDITABLE);
  await visit.pasteOver(chatter(EDITABLE + 1));
  const held = visit.page.getByRole("region", { name: "Pasted text" });
  await held.getByText(/^Too long to be edited here/).waitFor();
  assert.deepEqual(await visit.inputNames(), ["Pasted text"]);
  assert.equal(await visit.input.isVisible(), false);
});

onPage("more than can be edited is not typed into the field, and the status names the size", async (visit) => {
  await visit.paste(chatter(EDITABLE));
  await visit.verdictIs(/^At risk/);
  await visit.page.keyboard.type("x");
  await visit.statusIs(new RegExp(`^Up to ${EDITABLE / 1024} KB can be edited here`));
  assert.equal(await visit.input.evaluate((input) => input.value.length), EDITABLE);
});

onPage("where a text is too long to be edited, no fix is offered, the link says what it leaves out, and the policy judges all",
  async (visit) => {
    await visit.paste(`${POD}${"# chatter\n".repeat(EDITABLE / 10)}`);
    await rulesAre(visit, "memory-volume-unlimited-writer");
    assert.equal(await visit.button("Apply fix").count(), 0);
    await visit.click("Enforce this…");
    const policy = visit.report.getByRole("region", { name: "Enforce this…" });
    await policy.getByRole("listitem").getByText("Pod/web", { exact: true }).waitFor();
    await visit.click("Share link…");
    const link = visit.report.getByRole("region", { name: "Share link…" });
    await visit.button("Copy link", link).waitFor();
    await link.getByRole("checkbox", { name: "lines without findings" }).uncheck();
    await link.getByText(/^Texts too long to be edited are left out of the link/).waitFor();
    assert.equal(await visit.button("Copy link", link).count(), 0, "there is nothing to carry");
    // What is beside it can be fixed, shared and judged as ever.
    await visit.click("Add another input");
    await visit.paste(POD.replace("web", "db"));
    await eventually(async () => assert.equal(await visit.button("Apply fix").count(), 1));
    await policy.getByRole("listitem").getByText("Pod/db", { exact: true }).waitFor();
    await visit.button("Copy link", link).waitFor();
    await link.getByText(/^Texts too long to be edited are left out of the link/).waitFor();
    assert.equal(await policy.getByRole("listitem").count(), 2);
  });

onPage("where all can be edited, nothing is said of what is left out", async (visit) => {
  await visit.paste(POD);
  await visit.verdictIs(/^At risk/);
  await visit.button("Apply fix").waitFor();
  await visit.click("Enforce this…");
  await visit.click("Share link…");
  await visit.button("Copy link").waitFor();
  assert.equal(await visit.report.getByText(/too long to be edited/i).count(), 0);
});

onPage("a log pasted over all of the text takes its place, and so does what is pasted then", async (visit) => {
  await visit.paste(POD);
  await rulesAre(visit, "memory-volume-unlimited-writer");
  await visit.pasteOver(`fs.inotify.max_user_instances = 128\n${"# chatter\n".repeat(EDITABLE / 10)}`);
  await rulesAre(visit, "inotify-instances-low");
  assert.deepEqual(await visit.inputNames(), ["Pasted text"]);
  assert.equal(await visit.page.evaluate(() => document.activeElement.closest("#held") !== null), true, "the focus stays there");
  // There is no field then, but the page takes a paste all the same.
  await visit.page.evaluate((text) => navigator.clipboard.writeText(text), POD);
  await visit.page.keyboard.press("ControlOrMeta+V");
  await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
  assert.deepEqual(await visit.inputNames(), ["Pasted text", "paste-2"]);
});

onPage("cleared, a text too long to be edited gives the focus to the empty field", async (visit) => {
  await visit.paste(chatter(EDITABLE + 1));
  await visit.verdictIs(/^At risk/);
  await visit.button("Clear").focus();
  await visit.page.keyboard.press("Enter");
  await eventually(async () =>
    assert.equal(await visit.input.evaluate((input) => input === document.activeElement && input.value), ""));
});

onPage("at 320 px, long names of inputs are whole, and scroll nothing sideways", { viewport: { width: 320, height: 700 } },
  async (visit) => {
    const names = ["a".repeat(70) + ".log", "ノードのログ".repeat(12) + ".txt"];
    const chooser = visit.page.waitForEvent("filechooser");
    await visit.click("Open file…");
    const texts = [SYSCTL, example("memory-volume-unlimited-writer/bad-init-and-sidecar.yaml")];
    await (await chooser).setFiles(names.map((name, at) => ({ name, mimeType: "text/plain", buffer: Buffer.from(texts[at]) })));
    await rulesAre(visit, "inotify-instances-low", "memory-volume-unlimited-writer");
    assert.deepEqual(await visit.inputNames(), names);
    const { sideways, boxes } = await visit.page.evaluate(() => ({
      sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      boxes: [...document.querySelectorAll(".inputs :is(.name, select, .remove), .place, .apply button")].map((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return { what: element.textContent.slice(0, 20), isWithin: left >= 0 && right <= innerWidth && width > 0, cut: element.matches("button") && element.scrollWidth > element.clientWidth };
      }),
    }));
    assert.equal(sideways, 0);
    assert.ok(boxes.length > 6, JSON.stringify(boxes));
    boxes.forEach((box) => assert.ok(box.isWithin && !box.cut, JSON.stringify(box)));
    // A name must not run below the button beside it.
    for (const row of await visit.inputs.getByRole("listitem").all()) {
      const [name, remove] = [await row.locator(".name").boundingBox(), await row.locator(".remove").boundingBox()];
      assert.ok(name.x + name.width <= remove.x, JSON.stringify({ name, remove }));
    }
  });

onPage("an input of thousands of lines is removed at once, and comes back", async (visit) => {
  const lines = "a line\n".repeat(5_000);
  await visit.paste("uname -r\n5.4.0\n");
  await visit.click("Add another input");
  await visit.paste(lines);
  await visit.statusIs(/^5002 lines checked/);
  await visit.click("Remove paste-2");
  await visit.statusIs(/^2 lines checked/);
  await visit.click("Bring my text back");
  await visit.statusIs(/^5002 lines checked/);
});

for (const [width, height] of [[320, 640], [800, 600]]) {
  onPage(`at ${width} px the verdict of a paste is in view and leads to the report`, { viewport: { width, height } },
    async (visit) => {
      const link = visit.page.getByRole("link", { name: "Report", exact: true });
      const isInView = (locator) => locator.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const there = document.elementFromPoint(innerWidth / 2, (top + bottom) / 2);
        return top >= 0 && bottom <= innerHeight && (element.contains(there) || element.parentElement.contains(there));
      });
      assert.equal(await link.count(), 0, "there is no report yet");
      await visit.paste(example("inotify-instances-exhausted/bad-cgroup-v2-node.txt"));
      await visit.statusIs(/At risk/);
      assert.match(await visit.focused(), /^Paste a manifest/);
      assert.ok(await isInView(visit.status), "the verdict");
      assert.ok(await isInView(link), "the way to the report");
      await link.click();
      assert.ok(await isInView(visit.verdict), "the report's head");
      await visit.page.keyboard.press("Tab");
      assert.ok(await visit.report.evaluate((report) => report.contains(document.activeElement)));
    });
}

onPage("where the report stands beside the text, no link leads to it", async (visit) => {
  await visit.paste(SYSCTL);
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.page.getByRole("link", { name: "Report", exact: true }).count(), 0);
});
