// The page as its users know it: by the names and roles that they see or hear, here in English.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The longest text that can be edited, in UTF-16 code units. */
export const EDITABLE = editable();

/** A pod whose memory volume nothing limits. */
export const POD = `kind: Pod
apiVersion: v1
metadata: {name: web}
spec:
  containers:
  - name: app
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {medium: Memory}}]
`;

export class Visit {
  /** `page` may be a frame's content; then there are no complaints of its own. */
  constructor(page, complaints, close) {
    this.page = page;
    this.complaints = complaints;
    this.close = close;
    this.input = page.getByRole("textbox", { name: /^Paste a manifest/ });
    this.status = page.locator("#status");
    this.report = page.getByRole("region", { name: "Report", exact: true });
    this.verdict = this.report.getByRole("heading", { level: 2 }).first();
    this.findings = this.report.getByRole("article");
    this.inputs = page.getByRole("list", { name: "Inputs", exact: true });
  }

  /** The page is ready to check. */
  async started() {
    await this.page.locator("#theme").waitFor();
  }

  /** Paste as with the keyboard. */
  async paste(text) {
    await this.page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await this.input.focus();
    await this.page.keyboard.press("ControlOrMeta+V");
  }

  /** Paste in place of all that is there. */
  async pasteOver(text) {
    await this.input.focus();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.paste(text);
  }

  /** The choice of how the input with that name is read. */
  readAs(name) {
    return this.page.getByRole("combobox", { name: `How ${name} is read`, exact: true });
  }

  /** Choose an example and load it, in any language. */
  async loadExample(address) {
    await this.page.locator("#examples").selectOption(address);
    await this.page.locator("#examples + button").click();
  }

  /** The names of the inputs, in order. */
  inputNames() {
    return this.inputs.locator(".name").allTextContents();
  }

  /** The rules of the findings on show, each once, sorted. */
  async rules() {
    const rules = await this.findings.locator(".rule").allTextContents();
    return [...new Set(rules)].sort();
  }

  button(name, within = this.page) {
    return within.getByRole("button", { name, exact: typeof name === "string" });
  }

  async click(name, within) {
    await this.button(name, within).click();
  }

  /** The name of whatever has the focus, as a screen reader says it. */
  focused() {
    return this.page.evaluate(() => {
      const { activeElement } = document;
      return activeElement.getAttribute("aria-label") ?? activeElement.labels?.[0]?.textContent.trim() ?? activeElement.textContent.trim();
    });
  }

  /** The stretch of the pasted text that is selected. */
  selected() {
    return this.input.evaluate((input) => input.value.slice(input.selectionStart, input.selectionEnd));
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  async verdictIs(pattern) {
    await eventually(async () => assert.match(await this.verdict.textContent(), pattern));
  }

  async statusIs(pattern) {
    await eventually(async () => assert.match(await this.status.textContent(), pattern));
  }

  /** The file that `act` makes the browser save: its name and bytes. */
  async saved(act) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), act()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }
}

/** Wait until `check` no longer throws. */
export async function eventually(check) {
  for (const started = Date.now(); ; ) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() - started > 30_000) {
        throw error;
      }
      await pause(20);
    }
  }
}

/** As the page's source has it. */
function editable() {
  const source = readFileSync(new URL("../playground/src/inputs.rs", import.meta.url), "utf8");
  const factors = /const EDITABLE: u32 = ([\d* ]+);/.exec(source)[1].split("*").map(Number);
  return factors.reduce((product, factor) => product * factor);
}

/** The text of a file in examples/. */
export function example(address) {
  return readFileSync(examplePath(address), "utf8");
}

/** The path of a file in examples/. */
export function examplePath(address) {
  return fileURLToPath(new URL(`../examples/${address}`, import.meta.url));
}
