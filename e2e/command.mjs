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

/** The page's bytes are the command's; where they are not, the first line that differs is told. */
export function assertSame(page, command, what = "the report") {
  if (!page.equals(command)) {
    const [ours, theirs] = [page, command].map((bytes) => bytes.toString().split("\n"));
    const at = ours.findIndex((line, at) => line !== theirs[at]);
    assert.fail(`${what}, line ${at + 1}: the page says ${ours[at]?.slice(0, 200)}, the command ${theirs[at]?.slice(0, 200)}`);
  }
}
