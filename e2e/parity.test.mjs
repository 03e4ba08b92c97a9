// The page's report, computed in the browser, is the command's: for every example, and for every handed case when
// NODERISK_CASES names a folder of them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertSame, noderisk } from "./command.mjs";
import { onPage } from "./stage.mjs";
import { eventually } from "./visit.mjs";

const EXAMPLES = fileURLToPath(new URL("../examples/", import.meta.url));
const CASES = process.env.NODERISK_CASES;

/** Files that are inputs, at any depth. */
function inputs(folder, isInput) {
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, name)).sort();
  return paths.filter((path) => isInput.test(path) && statSync(path).isFile());
}

onPage("every example", (visit, t) => compare(visit, t, inputs(EXAMPLES, /\/(bad|good)[^/]*$/)));

if (CASES) {
  onPage("every handed case", (visit, t) => compare(visit, t, inputs(CASES, /\/input[^/]*$/)));
}

async function compare(visit, t, paths) {
  assert.ok(paths.length > 0, "no inputs");
  t.diagnostic(`${paths.length} inputs`);
  for (const path of paths) {
    const bytes = readFileSync(path);
    await visit.pasteOver(bytes.toString());
    // A textarea has line feeds alone, whatever ended the lines before.
    const pasted = bytes.toString().replaceAll(/\r\n?/g, "\n");
    await eventually(async () => assert.equal(await visit.input.inputValue(), pasted, path));
    const saved = await visit.saved(() => visit.click("Save JSON"));
    assertSame(saved.bytes, noderisk(bytes, "--format", "json"), path);
  }
}
