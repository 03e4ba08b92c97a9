// What a first visit costs: bytes are bounded, time is only told.

import assert from "node:assert/strict";
import { brotliCompressSync, constants } from "node:zlib";
import { onPage, siteBelow } from "./stage.mjs";

const KB = 1024;

/** All that a visitor gets who opens the page. */
const VISIT = 350 * KB;
/** The page's own Wasm. */
const WASM = 250 * KB;
/** All that stands behind a first verdict: the visit, and the checker. No promise, but a jump is to be seen. */
const VERDICT = 540 * KB;

/** Bytes after brotli at its best, as a server has it at hand for static files. */
function compressed(bytes) {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;
}

const kilobytes = (bytes) => `${(bytes / KB).toFixed(1)} KB`;

/** What a site has been asked for so far, largest first: each path, and its bytes on the wire. */
async function transferred(base, t) {
  const { requests } = await siteBelow(base);
  const files = [...requests].map(([path, bytes]) => [path, compressed(bytes)]).sort(([, a], [, b]) => b - a);
  files.forEach(([path, size]) => t.diagnostic(`${kilobytes(size)} ${path}`));
  const sum = files.reduce((sum, [, size]) => sum + size, 0);
  t.diagnostic(`${kilobytes(sum)} in all`);
  return { sum, wasm: files.filter(([path]) => path.endsWith("_bg.wasm")) };
}

onPage("a first visit transfers few bytes", { base: "/first/" }, async (visit, t) => {
  // With what is kept for use without a network.
  await visit.page.evaluate(() => navigator.serviceWorker.ready);
  const { sum, wasm } = await transferred("/first/", t);
  assert.equal(wasm.length, 1, "the page's own");
  assert.ok(wasm[0][1] <= WASM, `Wasm: ${kilobytes(wasm[0][1])} of ${kilobytes(WASM)}`);
  assert.ok(sum <= VISIT, `${kilobytes(sum)} of ${kilobytes(VISIT)}`);
});

/** Without what is kept for use without a network. */
const alone = { base: "/verdict/", serviceWorkers: "block", complaints: [/Service Worker registration blocked/] };

onPage("a first verdict takes one more Wasm", alone, async (visit, t) => {
  await visit.paste("fs.inotify.max_user_instances = 128\n");
  await visit.verdictIs(/^At risk/);
  const { sum, wasm } = await transferred("/verdict/", t);
  assert.equal(wasm.length, 2, "the page's own and the checker");
  assert.ok(sum <= VERDICT, `${kilobytes(sum)} of ${kilobytes(VERDICT)}`);
});

onPage("the first verdict is there soon", { open: "#example=inotify-instances-exhausted/bad-cgroup-v2-node.txt", ready: false },
  async (visit, t) => {
    await visit.verdictIs(/^At risk/);
    const milliseconds = await visit.page.evaluate(() => performance.now());
    t.diagnostic(`no more than ${Math.round(milliseconds)} ms after the navigation began`);
  });
