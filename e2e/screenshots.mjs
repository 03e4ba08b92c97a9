// Pictures of the page: those of the READMEs in docs/, and with --review FOLDER a set to look through, in every language,
// theme and width.
// usage: screenshots.mjs [--review FOLDER]

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closeAll, start } from "./browser.mjs";

const DOCS = fileURLToPath(new URL("../docs/", import.meta.url));
const NODE = "inotify-instances-exhausted/bad-cgroup-v2-node.txt";
const MANIFEST = "memory-volume-unlimited-writer/bad-deployment.yaml";
const THEMES = ["light", "dark"];
const LANGS = { en: "en-US", ja: "ja-JP", zh: "zh-CN" };

async function readme() {
  for (const [lang, locale] of Object.entries(LANGS)) {
    for (const colorScheme of THEMES) {
      const visit = await start({ open: `#example=${NODE}`, profile: { locale, colorScheme, viewport: { width: 1280, height: 800 } } });
      await visit.page.getByRole("article").first().waitFor();
      write(join(DOCS, `page-${lang}-${colorScheme}.webp`), await webp(visit.page));
      await visit.close();
    }
  }
}

/** Smaller than a PNG, and sharp enough for a README. */
async function webp(page) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 75 });
  return Buffer.from(data, "base64");
}

/** What each picture of the review shows: what is opened, and what is done then. */
const STATES = {
  empty: { open: "" },
  node: { open: `#example=${NODE}` },
  manifest: { open: `#example=${MANIFEST}` },
  panels: { open: `#example=${MANIFEST}`, act: unfoldAll },
  undecided: { open: "#example=kmem-accounting-errors/good-accounting-off.txt" },
  rule: { open: (lang) => `rules/${lang}/inotify-instances-low.html`, ready: false },
  embed: { host: (lang) => (address) => `<!doctype html><html lang="${lang}"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><body style="font: 16px sans-serif; margin: 16px"><script src="${address}noderisk-embed.js" defer></script><h1>Runbook</h1><noderisk-check><pre>fs.inotify.max_user_instances = 128</pre></noderisk-check><p>…</p>` },
};

async function unfoldAll({ page }) {
  const closed = page.locator("details:not([open]) > summary, button[aria-expanded=false]").first();
  while (await closed.count() > 0) {
    await closed.click();
  }
  await page.locator(".answers").waitFor();
}

async function review(folder) {
  for (const [lang, locale] of Object.entries(LANGS)) {
    for (const colorScheme of THEMES) {
      for (const width of [1280, 320]) {
        for (const [state, { open = "", host, act, ready }] of Object.entries(STATES)) {
          const profile = { locale, colorScheme, viewport: { width, height: 800 } };
          const visit = await start({ open: typeof open === "function" ? open(lang) : open, host: host?.(lang), ready, profile });
          await visit.page.waitForLoadState("networkidle");
          if (open.startsWith?.("#")) {
            await visit.page.locator(".verdict").waitFor();
          }
          await act?.(visit);
          write(join(folder, `${state}-${lang}-${colorScheme}-${width}.png`), await visit.page.screenshot({ fullPage: true }));
          await visit.close();
        }
      }
    }
  }
}

function write(path, bytes) {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytes);
  console.log(`${path} ${Math.ceil(bytes.length / 1024)} KB`);
}

try {
  const [option, folder] = process.argv.slice(2);
  await (option === "--review" && folder ? review(folder) : readme());
} finally {
  await closeAll();
}
