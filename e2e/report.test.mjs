// The report as a file or in the clipboard: byte for byte what the command prints.

import assert from "node:assert/strict";
import { assertSame, noderisk } from "./command.mjs";
import { onPage } from "./stage.mjs";
import { EDITABLE, eventually, example } from "./visit.mjs";

const SEVERAL = "memory-volume-unlimited-writer/bad-init-and-sidecar.yaml";
const TEXT = example(SEVERAL);

const FORMS = [
  ["Markdown", "noderisk.md", "markdown"],
  ["JSON", "noderisk.json", "json"],
  ["SARIF", "noderisk.sarif", "sarif"],
];

for (const [form, file, format] of FORMS) {
  onPage(`saved as ${form}, it is what the command prints`, async (visit) => {
    await visit.paste(TEXT);
    const saved = await visit.saved(() => visit.click(`Save ${form}`));
    assert.equal(saved.name, file);
    assertSame(saved.bytes, noderisk(TEXT, "--format", format));
  });
}

for (const [lang, locale, save] of [["ja", "ja-JP", "Markdown を保存"], ["zh", "zh-CN", "保存 Markdown"]]) {
  onPage(`the report is in the page's language: ${lang}`, { locale, open: `#example=${SEVERAL}` }, async (visit) => {
    const saved = await visit.saved(() => visit.click(save));
    assertSame(saved.bytes, noderisk(TEXT, "--format", "markdown", "--lang", lang));
  });
}

onPage("copied, it is what the command prints", async (visit) => {
  await visit.paste(TEXT);
  await visit.click("Copy as Markdown");
  await visit.button("Copied").waitFor();
  assertSame(Buffer.from(await visit.clipboard()), noderisk(TEXT, "--format", "markdown"));
});

/** The report quotes the line. */
const ADDRESS = "10.42.7.9";
const SECRETS = `${ADDRESS} fs.inotify.max_user_instances = 128\n`;

onPage("secrets and names are left out of it when that is asked for, as they are of a link", async (visit) => {
  await visit.paste(SECRETS);
  await visit.verdictIs(/^At risk/);
  const hide = visit.report.getByRole("checkbox", { name: "hide secrets, addresses and host names" });
  assert.equal(await hide.isChecked(), false);
  await visit.click("Share link…");
  const hidden = await visit.page.getByRole("textbox", { name: "The text in the link" }).inputValue();
  for (const [form, , format] of FORMS) {
    await hide.uncheck();
    const whole = await visit.saved(() => visit.click(`Save ${form}`));
    assertSame(whole.bytes, noderisk(SECRETS, "--format", format));
    await hide.check();
    const saved = await visit.saved(() => visit.click(`Save ${form}`));
    assertSame(saved.bytes, noderisk(hidden, "--format", format));
    assert.ok(!saved.bytes.includes(ADDRESS), form);
    assert.equal(whole.bytes.includes(ADDRESS), form === "Markdown");
  }
  assert.equal(await visit.input.inputValue(), SECRETS, "the text itself stays");
});

onPage("the name of a file is left out as well", async (visit) => {
  const chooser = visit.page.waitForEvent("filechooser");
  await visit.click("Open file…");
  await (await chooser).setFiles([{ name: "db01.prod.internal", mimeType: "text/plain", buffer: Buffer.from(SECRETS) }]);
  await visit.verdictIs(/^At risk/);
  const saved = () => visit.saved(() => visit.click("Save SARIF"));
  assert.ok((await saved()).bytes.includes("db01.prod.internal"));
  await visit.report.getByRole("checkbox", { name: "hide secrets, addresses and host names" }).check();
  assert.ok(!(await saved()).bytes.includes("db01"));
});

onPage("a report about a text too long to be edited hides its secrets as well", async (visit) => {
  await visit.paste(`${SECRETS}${"# chatter\n".repeat(EDITABLE / 10)}`);
  await visit.verdictIs(/^At risk/);
  await visit.report.getByRole("checkbox", { name: /^hide/ }).check();
  const saved = await visit.saved(() => visit.click("Save Markdown"));
  assert.ok(!saved.bytes.includes(ADDRESS));
  await visit.report.getByRole("checkbox", { name: /^hide/ }).uncheck();
  assert.ok((await visit.saved(() => visit.click("Save Markdown"))).bytes.includes(ADDRESS));
});

onPage("what is known of the node counts in it", async (visit) => {
  await visit.paste("fs.inotify.max_user_instances = 128\n");
  await visit.page.getByText("About the node").click();
  await visit.page.getByRole("textbox", { name: "Max pods" }).fill("20");
  await visit.page.keyboard.press("Tab");
  await visit.verdictIs(/^No risk found/);
  const saved = await visit.saved(() => visit.click("Save JSON"));
  assertSame(saved.bytes, noderisk("fs.inotify.max_user_instances = 128\n", "--format", "json", "--max-pods", "20"));
});

/** A browser that lets nobody at the clipboard, neither the new way nor the old. */
const clipboardDenied = (context) => context.addInitScript(() => {
  if (navigator.clipboard) {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
  }
  Document.prototype.execCommand = () => false;
});

onPage("where the clipboard is denied, the report can be copied by hand",
  { open: `#example=${SEVERAL}`, prepare: clipboardDenied },
  async (visit) => {
    await visit.click("Copy as Markdown");
    await visit.button("The browser refused: select and copy by hand").waitFor();
    const field = visit.page.getByRole("textbox", { name: "Report" });
    await field.focus();
    await eventually(async () => {
      const selected = await field.evaluate(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd));
      assertSame(Buffer.from(selected), noderisk(TEXT, "--format", "markdown"));
    });
  });
