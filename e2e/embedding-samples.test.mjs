// The samples of examples/embedding/, built by their generators and opened: the element works in each.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onPage, siteBelow } from "./stage.mjs";
import { serve } from "./site.mjs";

const SAMPLES = fileURLToPath(new URL("../examples/embedding/", import.meta.url));
const MKDOCS = fileURLToPath(new URL("../.tools/mkdocs/bin/mkdocs", import.meta.url));
const PAGE = "https://tools.example/noderisk/";

for (const [sample, program, args, built, opened] of [
  ["mdbook", "mdbook", ["build"], "book/", "memory-volumes.html"],
  ["mkdocs-material", MKDOCS, ["build", "--quiet", "--strict"], "site/", ""],
  ["backstage-techdocs", MKDOCS, ["build", "--quiet", "--strict"], "site/", "backstage.html"],
]) {
  onPage(`${sample}: the element in the built document gives its verdict`, { complaints: [/^request to /] }, async ({ page }) => {
    const folder = mkdtempSync(join(tmpdir(), "noderisk-sample-"));
    try {
      const { url } = await siteBelow("/");
      copy(join(SAMPLES, sample), folder, url);
      execFileSync(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
      if (sample === "backstage-techdocs") writeFileSync(join(folder, built, opened), backstage(url));
      const docs = await serve("/", `${folder}/${built}`);
      try {
        await page.goto(docs.url.replace("127.0.0.1", "localhost") + opened);
        const frame = page.locator("noderisk-check iframe").contentFrame();
        await frame.getByText("memory-volume-unlimited-writer").waitFor();
        assert.match(await frame.locator("#input").inputValue(), /^apiVersion: v1\nkind: Pod\n[^]*\n {8}medium: Memory$/);
      } finally {
        docs.close();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

/** Copy a sample, with the address of the site in place of the one that stands for it. */
function copy(from, to, url) {
  cpSync(from, to, { recursive: true });
  for (const name of readdirSync(to, { recursive: true })) {
    const path = join(to, name);
    if (!/\.(hbs|yml|toml)$/.test(name)) continue;
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(PAGE, url));
  }
}

/** Like Backstage's app: it loads the element itself and puts the document, without its scripts, into a shadow root. */
function backstage(url) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Backstage</title><link rel="icon" href="data:,">
<script src="${url}noderisk-embed.js" defer></script>
<div id="app"></div>
<script type="module">
  const page = new DOMParser().parseFromString(await (await fetch("index.html")).text(), "text/html");
  document.getElementById("app").attachShadow({ mode: "open" }).append(page.querySelector("article"));
</script>`;
}
