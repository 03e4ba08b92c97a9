// A test on the page in a browser of its own profile. It fails on whatever the browser complains of: an error in the
// console (refusals by the content security policy are among them), an exception that nobody caught, a request that
// leaves the page's origin.

import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { serve, serveHtml } from "./site.mjs";
import { Visit } from "./visit.mjs";

/** No part of a test takes this long; what does has hung. In milliseconds. */
const HUNG = 20_000;

let browser;
const sites = new Map();

after(async () => {
  await (await browser)?.close();
  for (const site of sites.values()) {
    (await site).close();
  }
});

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

/**
 * A test on the page. `options`:
 * - `open`: what follows the page's address, such as `#example=…`
 * - `base`: path that the site is served below
 * - `host(address)`: HTML of a page on another origin that is opened instead; `address` is that of the site
 * - `prepare(context)`: what to do before the page is opened
 * - `complaints`: patterns of the complaints that belong to the test; each must occur
 * - `ready`: false when the page is not expected to start
 * - all else goes to the browser's profile: `locale`, `colorScheme`, `viewport`, `permissions`, …
 */
export function onPage(name, options, body = options) {
  test(name, async (t) => {
    const { open, base, host, prepare, complaints = [], ready, ...profile } = body === options ? {} : options;
    const visit = await start({ open, base, host, prepare, ready, profile });
    try {
      await body(visit, t);
      const unexpected = visit.complaints.filter((said) => !complaints.some((pattern) => pattern.test(said)));
      assert.deepEqual(unexpected, [], "the browser complained");
      for (const pattern of complaints) {
        assert.ok(visit.complaints.some((said) => pattern.test(said)), `nothing was said of ${pattern}`);
      }
    } catch (error) {
      visit.complaints.forEach((said) => t.diagnostic(said));
      throw error;
    } finally {
      await visit.close();
    }
  });
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
