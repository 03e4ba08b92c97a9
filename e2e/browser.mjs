// The browser, and the page opened in it in a fresh profile.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { serve, serveHtml } from "./site.mjs";
import { Visit } from "./visit.mjs";

/** No part of a test takes this long; what does has hung. In milliseconds. */
const HUNG = 20_000;

let browser;
const sites = new Map();

/** End the browser and all servers. */
export async function closeAll() {
  await (await browser)?.close();
  for (const site of sites.values()) {
    (await site).close();
  }
}

/** A browser: Debian's Chromium; the variable CHROMIUM names another. */
export function launch(...options) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? onPath("chromium", "chromium-browser", "google-chrome"),
    // Root, as in a container, cannot have the sandbox.
    args: process.getuid?.() === 0 ? ["--no-sandbox", ...options] : options,
  });
}

function onPath(...names) {
  const folders = process.env.PATH.split(delimiter);
  for (const file of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not there: the next may be.
    }
  }
  throw new Error(`none of ${names.join(", ")} is on the PATH; run .ci/tools e2e, or name one with CHROMIUM=`);
}

/** The site below `base`, served once. */
export function siteBelow(base) {
  if (!sites.has(base)) {
    sites.set(base, serve(base));
  }
  return sites.get(base);
}

/** Open the page in a fresh profile. */
export async function start({ open = "", base = "/", host, prepare, ready = host === undefined, profile = {} } = {}) {
  const site = await siteBelow(base);
  const around = await (host && serveHtml(host(site.url)));
  browser ??= launch();
  const context = await (await browser).newContext({
    baseURL: site.url,
    colorScheme: "light",
    locale: "en-US",
    permissions: ["clipboard-read", "clipboard-write"],
    viewport: { width: 1280, height: 900 },
    ...profile,
  });
  context.setDefaultTimeout(HUNG);
  const opened = around?.url ?? site.url;
  const complaints = listen(context, [site.url, opened].map((url) => new URL(url).origin));
  await prepare?.(context);
  const visit = new Visit(await context.newPage(), complaints, async () => {
    await context.close();
    around?.close();
  });
  await visit.page.goto(opened + open);
  if (ready) {
    await visit.started();
  }
  return visit;
}

function listen(context, origins) {
  const complaints = [];
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  context.on("weberror", (error) => complaints.push(`exception: ${error.error().message}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!["blob:", "data:"].includes(url.protocol) && !origins.includes(url.origin)) {
      complaints.push(`request to ${url.href}`);
    }
  });
  return complaints;
}
