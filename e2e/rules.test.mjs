// The rules' own pages.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import axe from "axe-core";
import { DIST } from "./site.mjs";
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

onPage("a finding leads to the page of its rule in the language at hand",
  { base: "/docs/tool/", open: "?lang=zh#example=inotify-instances-low/bad-default-limit.txt" },
  async ({ page }) => {
    const link = page.getByRole("link", { name: "inotify-instances-low" });
    const [rule] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await rule.waitForLoadState();
    assert.match(rule.url(), /\/docs\/tool\/rules\/zh\/inotify-instances-low\.html$/);
    assert.equal(await rule.locator("html").getAttribute("lang"), "zh");
    await rule.getByRole("link", { name: "English" }).click();
    await rule.getByRole("heading", { level: 1, name: "Too few inotify instances for a node" }).waitFor();
  });

onPage("the rules' pages need no script and scroll sideways in no place", { ready: false, javaScriptEnabled: true, viewport: { width: 320, height: 640 } },
  async ({ page }) => {
    for (const lang of ["en", "ja", "zh"]) {
      for (const name of readdirSync(`${DIST}rules/${lang}`)) {
        await page.goto(new URL(`rules/${lang}/${name}`, page.url().replace(/rules\/.*/, "")).href);
        assert.equal(await page.evaluate(() => document.scripts.length), 0, name);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320, `${lang}/${name}`);
      }
    }
  });
