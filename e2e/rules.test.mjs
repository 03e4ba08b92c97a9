// The rules' own pages.

import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { onPage, siteBelow } from "./stage.mjs";
import { Visit } from "./visit.mjs";

const LANGS = ["en", "ja", "zh"];

onPage("a rule can be tried from its page", { open: "rules/en/memory-volume-unlimited-writer.html", ready: false }, async (visit) => {
  const tries = visit.page.getByRole("link", { name: "Try it" });
  assert.equal(await tries.count(), 2);
  await tries.first().click();
  await new Visit(visit.page).verdictIs(/^At risk/);
  await visit.page.goBack();
  await tries.last().click();
  await new Visit(visit.page).verdictIs(/^No risk found/);
});

for (const lang of LANGS) {
  onPage(`axe finds nothing on a rule's page: ${lang}`,
    { open: `rules/${lang}/inotify-instances-low.html`, ready: false, viewport: { width: 320, height: 800 }, prepare: (context) => context.addInitScript(axe.source) },
    async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        const { violations } = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]), []);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 320);
    });
}

test("every link of every rule's page leads somewhere", async () => {
  const { url } = await siteBelow("/");
  const read = async (address) => {
    const response = await fetch(address);
    assert.equal(response.status, 200, address);
    return response.text();
  };
  const pages = new Map();
  const waiting = LANGS.map((lang) => `${url}rules/${lang}/index.html`);
  while (waiting.length > 0) {
    const address = waiting.pop();
    if (!pages.has(address)) {
      pages.set(address, await read(address));
      const links = [...pages.get(address).matchAll(/href="([^"]+)"/g)].map(([, href]) => new URL(href, address));
      const own = links.filter(({ href }) => href.startsWith(`${url}rules/`) && href.split("#")[0].endsWith(".html"));
      waiting.push(...own.map(({ href }) => href.split("#")[0]));
    }
  }
  assert.ok(pages.size > 3 * 20, `${pages.size} pages`);
});
