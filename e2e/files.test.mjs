// Files: dropped anywhere on the page, or opened with the keyboard.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPage } from "./stage.mjs";
import { EDITABLE, example, examplePath } from "./visit.mjs";

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

/** Drop a file of these bytes. */
async function dropBytes(visit, name, bytes, then) {
  const folder = mkdtempSync(join(tmpdir(), "noderisk-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await drop(visit.page, [path]);
    await then();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

onPage("a file beyond the limit is cut with a notice, and the text stays", async (visit) => {
  await visit.paste("uname -r\n");
  await dropBytes(visit, "huge.log", "a line of a log that never ends\n".repeat(400_000), async () => {
    await visit.statusIs(/^\d{6} lines checked/);
    await visit.page.getByText("only the first 10.0 MB are checked").first().waitFor();
    await visit.inputs.getByRole("button").first().click();
    assert.equal(await visit.input.inputValue(), "uname -r\n");
  });
});

onPage("a file is cut between lines: half a number would be another one", async (visit) => {
  const half = "fs.inotify.max_user_instances = 8";
  const before = "chatter\n".repeat(10 * 1024 * 1024 / 8).slice(0, 10 * 1024 * 1024 - half.length - 1) + "\n";
  await dropBytes(visit, "cut.log", `${before}${half}192\n${"more\n".repeat(1000)}`, async () => {
    await visit.page.getByText("only the first 10.0 MB are checked").first().waitFor();
    await visit.verdictIs(/^Cannot judge/);
  });
});

/** A text as PowerShell's `>` writes it, which marks the order of the bytes first. */
const littleEndian = (text) => Buffer.from(`\ufeff${text}`, "utf16le");
const bigEndian = (text) => littleEndian(text).swap16();

const SYSCTL = "# ノード 😀\r\nfs.inotify.max_user_instances = 128\r\n";

onPage("the two orders of UTF-16 are those of its standard", async () => {
  // RFC 2781, 3.2 and 3.3.
  assert.deepEqual([...littleEndian("a")], [0xff, 0xfe, 0x61, 0x00]);
  assert.deepEqual([...bigEndian("a")], [0xfe, 0xff, 0x00, 0x61]);
});

for (const [what, encoded] of [
  ["UTF-16, little end first", littleEndian],
  ["UTF-16, big end first", bigEndian],
  ["UTF-8 with a mark", (text) => Buffer.from(`\ufeff${text}`)],
]) {
  onPage(`a file in ${what} is read`, async (visit) => {
    await dropBytes(visit, "node.txt", encoded(SYSCTL), async () => {
      await visit.verdictIs(/^At risk/);
      await visit.statusIs(/^2 lines checked/);
      assert.equal(await visit.input.inputValue(), SYSCTL.replaceAll("\r\n", "\n"));
      await visit.click("line 2", visit.findings.first());
      assert.equal(await visit.selected(), "fs.inotify.max_user_instances = 128");
    });
  });
}

const noWorkers = (context) => context.addInitScript(() => {
  window.Worker = undefined;
});

for (const [where, prepare] of [["in a worker", undefined], ["without a worker", noWorkers]]) {
  for (const [what, encoded] of [["little", littleEndian], ["big", bigEndian]]) {
    onPage(`a long file in UTF-16, ${what} end first, is read ${where}`, { prepare }, async (visit) => {
      const text = `${"a line of chatter\r\n".repeat(EDITABLE / 16)}${SYSCTL}`;
      await dropBytes(visit, "node.txt", encoded(text), async () => {
        await visit.verdictIs(/^At risk/);
        await visit.statusIs(new RegExp(`^${EDITABLE / 16 + 2} lines checked`));
        await visit.page.getByRole("region", { name: "Pasted text" }).or(visit.page.getByRole("region", { name: "node.txt" }))
          .getByText("# ノード 😀").waitFor();
      });
    });
  }
}

onPage("the longest text in UTF-16 that can be edited is edited, though it has twice the bytes", async (visit) => {
  const text = "x".repeat(EDITABLE - 1) + "\n";
  await dropBytes(visit, "node.txt", littleEndian(text), async () => {
    await visit.statusIs(/^1 line checked/);
    assert.equal(await visit.input.evaluate((input) => input.value.length), EDITABLE);
  });
});
