// The command, to compare the page with. The variable NODERISK names another one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = process.env.NODERISK ?? fileURLToPath(new URL("../target/debug/noderisk", import.meta.url));

/** The bytes that `noderisk` prints about a text on its standard input. */
export function noderisk(text, ...options) {
  const { error, status, stdout, stderr } = spawnSync(PROGRAM, options, { input: text, maxBuffer: 1 << 28 });
  assert.ok(!error && status <= 2, `${PROGRAM} ${options.join(" ")}: ${error ?? stderr}`);
  return stdout;
}
