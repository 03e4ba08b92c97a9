// node: the Wasm lies beside this file.
import { readFileSync } from "node:fs";

import { initSync } from "./noderisk.js";

initSync({ module: readFileSync(new URL("noderisk_bg.wasm", import.meta.url)) });

export { check, explain, link, render, rules } from "./noderisk.js";
