// Files: dropped anywhere on the page, or opened with the keyboard.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPage } from "./stage.mjs";
import { example, examplePath } from "./visit.mjs";

const LIMITS = "inotify-instances-low/bad-default-limit.txt";
const MANIFEST = "memory-volume-unlimited-writer/bad-deployment.yaml";

/** Drag files from the desktop to the page and let them fall, as the browser itself does it. */
async function drop(page, files, then = async () => {}) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    if (type === "drop") {
      await then();
    }
    await session.send("Input.dispatchDragEvent", { type, x: 700, y: 700, data });
  }
}

onPage("a dropped file is checked", async (visit) => {
  const hint = visit.page.getByText("Drop the file to check it");
  await drop(visit.page, [examplePath(LIMITS)], () => hint.waitFor());
  await visit.verdictIs(/^At risk/);
  assert.equal(await visit.input.inputValue(), example(LIMITS));
  await hint.waitFor({ state: "hidden" });
});

onPage("several dropped files are checked together", async (visit) => {
  await drop(visit.page, [examplePath(LIMITS), examplePath(MANIFEST)]);
  await visit.verdictIs(/^At risk/);
  await visit.report.getByText("inotify-instances-low", { exact: true }).waitFor();
  await visit.report.getByText("memory-volume-unlimited-writer", { exact: true }).waitFor();
});

onPage("a file is opened with the keyboard alone", async (visit) => {
  const { page } = visit;
  const chooser = page.waitForEvent("filechooser");
  await visit.button("Open file…").focus();
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(examplePath(MANIFEST));
  await visit.verdictIs(/^At risk/);
});

onPage("a file dropped beside a text is a further input, and both are checked", async (visit) => {
  await visit.paste("kind: Pod # mine\n");
  await drop(visit.page, [examplePath(LIMITS)]);
  await visit.verdictIs(/^At risk/);
  const inputs = visit.page.getByRole("list", { name: "Inputs" });
  assert.equal(await inputs.getByRole("listitem").count(), 2);
  assert.equal(await visit.input.inputValue(), example(LIMITS));
  await inputs.getByRole("listitem").first().getByRole("button").first().click();
  assert.equal(await visit.input.inputValue(), "kind: Pod # mine\n");
});

onPage("a file beyond the limit is cut with a notice, and the text stays", async (visit) => {
  const folder = mkdtempSync(join(tmpdir(), "noderisk-"));
  try {
    const huge = join(folder, "huge.log");
    writeFileSync(huge, "a line of a log that never ends\n".repeat(400_000));
    await visit.paste("uname -r\n");
    await drop(visit.page, [huge]);
    await visit.statusIs(/^\d{6} lines checked/);
    await visit.page.getByText("only the first 10.0 MB are checked").first().waitFor();
    await visit.page.getByRole("list", { name: "Inputs" }).getByRole("button").first().click();
    assert.equal(await visit.input.inputValue(), "uname -r\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
