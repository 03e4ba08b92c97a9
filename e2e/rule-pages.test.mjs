// The static pages about the rules: from a finding to its rule, from a rule to its example.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { onPage } from "./stage.mjs";
import { DIST } from "./site.mjs";

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

onPage("a rule leads to its examples: the bad one fires it, the good one does not",
  { base: "/docs/tool/", open: "rules/en/memory-volume-unlimited-writer.html", ready: false },
  async (visit) => {
    const { page } = visit;
    const tries = page.getByRole("link", { name: "Try it" });
    await tries.first().click();
    await visit.verdictIs(/^At risk/);
    await page.goBack();
    await tries.last().click();
    await visit.verdictIs(/^No risk found/);
  });

onPage("they need no script and scroll sideways in no place", { ready: false, javaScriptEnabled: true, viewport: { width: 320, height: 640 } },
  async ({ page }) => {
    for (const lang of ["en", "ja", "zh"]) {
      for (const name of readdirSync(`${DIST}rules/${lang}`)) {
        await page.goto(new URL(`rules/${lang}/${name}`, page.url().replace(/rules\/.*/, "")).href);
        assert.equal(await page.evaluate(() => document.scripts.length), 0, name);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320, `${lang}/${name}`);
      }
    }
  });
