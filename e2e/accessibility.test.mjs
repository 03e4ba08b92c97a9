// WCAG 2.2 AA by axe: every state of the page in three languages, both themes, wide and narrow; and what axe cannot see.

import assert from "node:assert/strict";
import axe from "axe-core";
import { onPage } from "./stage.mjs";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const WORDS = {
  en: { locale: "en-US", share: "Share link…", enforce: "Enforce this…", node: "About the node", why: "why" },
  ja: { locale: "ja-JP", share: "リンクで共有…", enforce: "クラスターで強制…", node: "ノードの情報", why: "理由" },
  zh: { locale: "zh-CN", share: "分享链接…", enforce: "在集群中强制执行…", node: "节点信息", why: "原因" },
};

/** How to get to each state, one after the other on one page. */
const STATES = [
  ["empty", async () => {}],
  ["undecided", async (visit) => open(visit, "misc-cgroup-mismatch/bad-kubelet-1.27.1.txt")],
  ["warnings", async (visit) => open(visit, "inotify-instances-low/bad-default-limit.txt")],
  ["findings", async (visit, words) => {
    await open(visit, "inotify-instances-exhausted/bad-cgroup-v2-node.txt");
    await visit.findings.first().getByText(words.why, { exact: true }).click();
  }],
  ["node form", async (visit, words) => {
    await visit.page.getByText(words.node).click();
    await visit.page.locator("#max-pods").fill("many");
    await visit.page.locator("#max-pods").blur();
  }],
  ["enforce", async (visit, words) => {
    await open(visit, "memory-volume-unlimited-writer/bad-init-and-sidecar.yaml");
    await visit.click(words.enforce);
  }],
  ["share", async (visit, words) => visit.click(words.share)],
];

async function open(visit, example) {
  await visit.loadExample(example);
  await visit.findings.first().waitFor();
}

for (const [lang, words] of Object.entries(WORDS)) {
  onPage(`axe finds nothing: ${lang}`, { locale: words.locale, prepare: (context) => context.addInitScript(axe.source) },
    async (visit) => {
      visit.findings = visit.page.getByRole("article");
      for (const [state, go] of STATES) {
        await go(visit, words);
        await inEveryLook(visit.page, async (look, width) => {
          assert.deepEqual(await violations(visit.page), [], `${state}, ${look}`);
          assert.ok(await wide(visit.page) <= width, `${state}, ${look}: nothing is to be scrolled sideways`);
        });
      }
    });
}

/** Wide and narrow, light and dark. */
async function inEveryLook(page, check) {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await check(`${width} px, ${colorScheme}`, width);
    }
  }
}

/** How wide all of the page is, in CSS pixels. */
function wide(page) {
  return page.evaluate(() => document.documentElement.scrollWidth);
}

/** What axe objects to: rule, element, and why. */
async function violations(page) {
  // Axe leaves the size of targets out unless asked.
  const options = { runOnly: { type: "tag", values: TAGS }, rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] };
  const { violations } = await page.evaluate((options) => axe.run(document, options), options);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

const FINDINGS = { open: "#example=inotify-instances-exhausted/bad-cgroup-v2-node.txt" };

onPage("text spaced as WCAG 1.4.12 asks fits into 320 px", { ...FINDINGS, viewport: { width: 320, height: 700 } }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  await visit.page.evaluate(() => {
    const spaced = new CSSStyleSheet();
    spaced.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }");
    document.adoptedStyleSheets = [spaced];
  });
  assert.ok(await wide(visit.page) <= 320);
});

onPage("in forced colours, icons, bars and borders stand out from the ground", { ...FINDINGS, forcedColors: "active" }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  const { ground, icons, border, bars } = await visit.page.evaluate(() => {
    const styles = (selector) => [...document.querySelectorAll(selector)].map((element) => getComputedStyle(element));
    return {
      ground: getComputedStyle(document.body).backgroundColor,
      icons: styles("#report .icon").map((style) => style.stroke),
      border: styles(".verdict")[0].borderTopStyle,
      bars: styles("figure rect").map((style) => style.fill),
    };
  });
  assert.ok(icons.length > 0 && icons.every((stroke) => stroke !== ground), `${icons} on ${ground}`);
  assert.equal(border, "solid");
  assert.ok(new Set(bars).size > 1, "what is used is told from what is free");
});

onPage("with reduced motion nothing moves", { ...FINDINGS, reducedMotion: "reduce" }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  await visit.page.keyboard.press("F8");
  const moving = await visit.page.evaluate(() => ({
    animations: document.getAnimations().length,
    transitions: [...document.querySelectorAll("*")].filter((element) => parseFloat(getComputedStyle(element).transitionDuration) > 0).length,
    scrolling: getComputedStyle(document.documentElement).scrollBehavior,
  }));
  assert.deepEqual(moving, { animations: 0, transitions: 0, scrolling: "auto" });
});
