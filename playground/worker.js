// Loads a build of the rule core and has it answer: in a worker, or within the page where workers are refused.

/** Starts the build with that name; gives the function that answers a message. */
export async function start(build) {
  const core = await import(new URL(`${build}.js`, import.meta.url));
  await core.default({ module_or_path: new URL(`${build}_bg.wasm`, import.meta.url) });
  return async (message) => core.answer(await Promise.all(message.map(text)));
}

/** The page holds long texts as blobs, which may be UTF-16 behind a byte order mark. */
async function text(part) {
  if (!(part instanceof Blob)) return part;
  const [first, second] = new Uint8Array(await part.slice(0, 2).arrayBuffer());
  const marks = { "255 254": "utf-16le", "254 255": "utf-16be" };
  return new TextDecoder(marks[`${first} ${second}`]).decode(await part.arrayBuffer());
}

if (globalThis.DedicatedWorkerGlobalScope) {
  const answer = await start(new URL(location).searchParams.get("build"));
  addEventListener("message", async ({ data }) => {
    try {
      postMessage(await answer(data));
    } catch (error) {
      // The page hears of errors alone, not of promises.
      reportError(error);
    }
  });
  postMessage(null);
}
