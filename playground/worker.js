// Loads the page's own JS and Wasm in a worker, where they check long texts. The page names them in this script's
// address, so that they come from the browser's cache.

const names = new URL(location).searchParams;
const app = await import(new URL(names.get("js"), location));
await app.default({ module_or_path: new URL(names.get("wasm"), location) });
