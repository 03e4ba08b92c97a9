// Browsers and bundlers: the Wasm is fetched from beside `noderisk.js` before this module is ready.
import init from "./noderisk.js";

await init();

export { check, explain, link, render, rules } from "./noderisk.js";
