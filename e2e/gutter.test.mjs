// The gutter: numbers beside the lines of the text, and marks that lead to findings.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPage } from "./stage.mjs";
import { EDITABLE, eventually, example, Visit } from "./visit.mjs";

const NODE = "inotify-instances-exhausted/bad-cgroup-v2-node.txt";
const DEPLOYMENT = "memory-volume-unlimited-writer/bad-deployment.yaml";
const BROWSER = "memory-volume-size-over-limit/bad-browser.yaml";
const LIMIT = "fs.inotify.max_user_instances = 128";

/** About as much as can be edited, some lines empty or from several fonts, with a finding in line 10,000 alone. */
const LONG = (() => {
  const kinds = ["", "\t# 上限 𠮷 😀 é", "pid_max = 4194304"];
  const line = (number) => number === 10_000 ? LIMIT : kinds[number % 100] ?? `map = ${number} # `.padEnd(17, "a");
  return Array.from({ length: 13_000 }, (_, index) => line(index + 1)).join("\n");
})();

const gutter = (visit) => visit.page.locator("#gutter");
const row = (visit, line) => gutter(visit).locator("li").filter({ hasText: new RegExp(`^${line}$`) });

/** The numbers in view, from top to bottom. */
function numbers(visit) {
  return gutter(visit).evaluate((gutter) => {
    const { top, bottom } = gutter.getBoundingClientRect();
    const middle = (row) => (row.getBoundingClientRect().top + row.getBoundingClientRect().bottom) / 2;
    const seen = [...gutter.querySelectorAll("li")].filter((row) => middle(row) > top && middle(row) < bottom);
    return seen.map((row) => Number(row.textContent));
  });
}

/** The marked lines among those that are there, each with its severity. */
function marks(visit) {
  return gutter(visit).locator("li[class]").evaluateAll((rows) => rows.map((row) => `${row.textContent} ${row.className}`));
}

const marksAre = (visit, expected) => eventually(async () => assert.deepEqual(await marks(visit), expected));

/** The line that the cursor is in. */
function cursor(visit) {
  return visit.input.evaluate((input) => input.value.slice(0, input.selectionStart).split("\n").length);
}

/** Bring a line into the middle of the view. */
async function scrollTo(visit, line) {
  await visit.input.evaluate((input, line) => {
    input.scrollTop = input.scrollHeight * line / input.value.split("\n").length - input.clientHeight / 2;
  }, line);
  await row(visit, line).waitFor();
}

/**
 * A number stands beside its line: a click into the text up to 2 px from the edges of the number's row meets the line, so
 * the middles of both are no further apart.
 */
async function standsBesideItsLine(visit, line) {
  await row(visit, line).scrollIntoViewIfNeeded();
  const { y, height } = await row(visit, line).boundingBox();
  const { x, width } = await visit.input.boundingBox();
  for (const at of [y + 2, y + height - 2]) {
    await visit.page.mouse.click(x + width / 2, at);
    assert.equal(await cursor(visit), line, `${at - y} px below the top of number ${line}`);
  }
}

onPage("numbers follow the text", async (visit) => {
  await visit.paste(LONG);
  await visit.verdictIs(/^At risk/);
  await visit.input.evaluate((input) => { input.scrollTop = 0; });
  const { x, y, width, height } = await visit.input.boundingBox();
  await visit.page.mouse.move(x + width / 2, y + height / 2);
  for (const first of [101, 201]) {
    await visit.page.mouse.wheel(0, 2000);
    await eventually(async () => {
      const seen = await numbers(visit);
      assert.ok(Math.abs(seen[0] - first) <= 1, `from ${seen[0]} on`);
      assert.deepEqual(seen, seen.map((_, index) => seen[0] + index));
      assert.ok(seen.length >= height / 20 - 3, `${seen.length} lines fill ${height} px`);
    });
    await standsBesideItsLine(visit, first + 5);
  }
});

onPage("a click beside a line puts the cursor there", { open: `#example=${DEPLOYMENT}` }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  const { x, y, width, height } = await row(visit, 9).boundingBox();
  await visit.page.mouse.click(x + width / 2, y + height / 2);
  assert.equal(await cursor(visit), 9);
  assert.match(await visit.focused(), /^Paste a manifest/);
});

const ZOOMS = { "100 %": 1, "200 %": 2, "110 %": 1.1, "67 %": 0.67 };

for (const [zoom, deviceScaleFactor] of Object.entries(ZOOMS)) {
  onPage(`at ${zoom}, number 10,000 stands beside line 10,000, and its mark leads to the finding`,
    { deviceScaleFactor, viewport: { width: Math.round(1280 / deviceScaleFactor), height: Math.round(900 / deviceScaleFactor) } },
    async (visit) => {
      await visit.paste(LONG);
      await visit.verdictIs(/^At risk/);
      await scrollTo(visit, 10_000);
      await standsBesideItsLine(visit, 10_000);
      await standsBesideItsLine(visit, 10_003);
      await marksAre(visit, ["10000 warning"]);
      await row(visit, 10_000).click();
      await eventually(async () => assert.match(await visit.focused(), /inotify-instances-low/));
      await visit.input.evaluate((input) => { input.scrollTop = input.scrollHeight; });
      await row(visit, 13_000).waitFor();
      await standsBesideItsLine(visit, 12_999);
    });
}

onPage("the place that a finding selects stands beside its number", async (visit) => {
  await visit.paste(LONG);
  await visit.verdictIs(/^At risk/);
  await visit.click("line 10000", visit.findings.first());
  assert.equal(await visit.selected(), LIMIT);
  await standsBesideItsLine(visit, 10_000);
});

/** How far the numbers stand from their lines, in CSS pixels, and how many lines at the lower edge have none. */
function misplaced(visit) {
  return gutter(visit).evaluate((gutter) => {
    const input = document.getElementById("input");
    const rows = [...gutter.querySelectorAll("li")];
    const { top, bottom } = input.getBoundingClientRect();
    const { height } = rows[0].getBoundingClientRect();
    const text = top + input.clientTop + parseFloat(getComputedStyle(input).paddingTop) - input.scrollTop;
    const off = rows.map((row) => row.getBoundingClientRect().top - (text + (Number(row.textContent) - 1) * height));
    const last = rows.at(-1).getBoundingClientRect().bottom;
    const count = input.value.split("\n").length;
    return { off: Math.max(...off.map(Math.abs)), bare: Number(rows.at(-1).textContent) === count ? 0 : Math.max(0, (bottom - last) / height) };
  });
}

async function standsBesideAll(visit, after) {
  await eventually(async () => {
    const { off, bare } = await misplaced(visit);
    assert.ok(off < 2 && bare < 1, `after ${after}: ${off} px off, ${bare} lines without a number`);
  });
}

onPage("whichever way the text moves, the numbers go with it", async (visit) => {
  const { keyboard } = visit.page;
  await visit.paste(LONG);
  await visit.verdictIs(/^At risk/);
  for (const [key, times] of [["ControlOrMeta+Home", 1], ["PageDown", 4], ["ControlOrMeta+End", 1], ["ArrowUp", 40], ["PageUp", 3], ["ArrowDown", 30]]) {
    for (let time = 1; time <= times; time++) {
      await keyboard.press(key);
      await standsBesideAll(visit, `${key} ${time}`);
    }
  }
});

for (const sample of [NODE, DEPLOYMENT]) {
  onPage(`places and fixes of ${sample} leave the numbers in place`, { open: `#example=${sample}`, viewport: { width: 1280, height: 600 } },
    async (visit) => {
      await visit.verdictIs(/^At risk/);
      const places = visit.findings.locator("button.place");
      for (let at = 0; at < await places.count(); at++) {
        await places.nth(at).click();
        await standsBesideAll(visit, await places.nth(at).textContent());
      }
      if (await visit.button("Apply fix").count() > 0) {
        await visit.button("Apply fix").first().click();
        await visit.statusIs(/^Fixed/);
        await standsBesideAll(visit, "a fix");
        await visit.input.press("ControlOrMeta+Z");
        await standsBesideAll(visit, "its undoing");
      }
    });
}

onPage("the wheel scrolls the text over the gutter as well, and the page once the text is at its end",
  { viewport: { width: 700, height: 600 } },
  async (visit) => {
    const { page } = visit;
    await visit.paste(`${LIMIT}\n${"# chatter\n".repeat(200)}`);
    await visit.verdictIs(/^At risk/);
    await visit.input.evaluate((input) => (input.scrollTop = 0));
    const scrolled = () => page.evaluate(() => [document.getElementById("input").scrollTop, scrollY]);
    // Marked lines take the pointer themselves, others leave it to the text.
    await marksAre(visit, ["1 warning"]);
    for (const line of [1, 3]) {
      const { x, y, width } = await row(visit, line).boundingBox();
      await page.mouse.move(x + width / 2, y + 10);
      await page.mouse.wheel(0, 60);
      await eventually(async () => assert.deepEqual(await scrolled(), [60, 0], `over line ${line}`));
      await page.mouse.wheel(0, -60);
      await eventually(async () => assert.deepEqual(await scrolled(), [0, 0], `over line ${line}`));
    }
    await visit.input.evaluate((input) => (input.scrollTop = input.scrollHeight));
    const [end] = await scrolled();
    await page.mouse.wheel(0, 60);
    await eventually(async () => assert.deepEqual(await scrolled(), [end, 60]));
  });

onPage("13,000 lines make some dozens of nodes, wherever it is scrolled", async (visit) => {
  await visit.paste(LONG);
  assert.ok(LONG.length > 200_000 && LONG.length <= EDITABLE);
  await visit.verdictIs(/^At risk/);
  for (const line of [1, 5_000, 10_000, 13_000]) {
    await scrollTo(visit, line);
    const nodes = await gutter(visit).locator("*").count();
    assert.ok(nodes < 80, `${nodes} nodes at line ${line}`);
  }
});

onPage("every line that a finding points at has a mark with the shape of its severity", { open: `#example=${NODE}` }, async (visit) => {
  await marksAre(visit, ["2 error", "5 error", "8 error", "12 error", "13 warning"]);
  const shape = (line) => row(visit, line).locator(".outline").getAttribute("d");
  const [error, warning] = [await shape(12), await shape(13)];
  assert.equal(await row(visit, 13).getAttribute("title"), "Too few inotify watches for a node");
  await row(visit, 13).click();
  await eventually(async () => assert.match(await visit.focused(), /inotify-watches-low/));
  await row(visit, 5).click();
  await eventually(async () => assert.match(await visit.focused(), /inotify-instances-exhausted/));
  await visit.loadExample(BROWSER);
  await marksAre(visit, ["10 info", "17 info"]);
  assert.equal(new Set([error, warning, await shape(10)]).size, 3);
});

onPage("a mark leads to a finding beyond those that are shown at first", async (visit) => {
  const containers = Array.from({ length: 60 }, (_, index) => `  - name: c${index}\n    volumeMounts: [{name: v, mountPath: /v}]\n`);
  await visit.paste(`kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec:\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\n  containers:\n${containers.join("")}`);
  await visit.statusIs(/^126 lines checked/);
  assert.equal(await visit.findings.count(), 50);
  await scrollTo(visit, 125);
  await row(visit, 125).click();
  await eventually(async () => assert.match(await visit.focused(), /c59/));
  assert.equal(await cursor(visit), 125);
});

onPage("the gutter is nothing to screen readers and the keyboard", { open: `#example=${NODE}` }, async (visit) => {
  await marksAre(visit, ["2 error", "5 error", "8 error", "12 error", "13 warning"]);
  assert.equal(await gutter(visit).getAttribute("aria-hidden"), "true");
  const stops = await gutter(visit).locator("*").evaluateAll((parts) => parts.filter((part) => part.tabIndex >= 0).length);
  assert.equal(stops, 0);
});

onPage("marks go with the first key and come back with the report", { prepare: (context) => context.clock.install({ time: 0 }) },
  async (visit) => {
    await visit.page.clock.pauseAt(3_600_000);
    await visit.paste(`# node\n${LIMIT}`);
    await marksAre(visit, ["2 warning"]);
    await visit.page.keyboard.press("ControlOrMeta+Home");
    await visit.page.keyboard.type("\n");
    await visit.statusIs(/^Checking/);
    await marksAre(visit, []);
    assert.deepEqual(await numbers(visit), [1, 2, 3]);
    await visit.page.clock.runFor(250);
    await marksAre(visit, ["3 warning"]);
  });

onPage("each input has its own numbers and marks", async (visit) => {
  await visit.paste(`${LIMIT}\n`);
  await marksAre(visit, ["1 warning"]);
  await visit.click("Add another input");
  await visit.paste("one\ntwo\nfs.inotify.max_user_watches = 8192");
  await marksAre(visit, ["3 warning"]);
  assert.deepEqual(await numbers(visit), [1, 2, 3]);
  await visit.page.getByRole("list", { name: "Inputs" }).getByRole("button").first().click();
  await marksAre(visit, ["1 warning"]);
  assert.deepEqual(await numbers(visit), [1, 2]);
});

onPage("numbers and marks follow a sample, a fix, undo, and clearing", { open: `#example=${DEPLOYMENT}` }, async (visit) => {
  const last = (line) => eventually(async () => assert.equal((await numbers(visit)).at(-1), line));
  await visit.page.setViewportSize({ width: 1280, height: 1400 });
  await marksAre(visit, ["22 error", "33 error"]);
  await last(35);
  await visit.click("Apply fix", visit.findings.first());
  await marksAre(visit, []);
  await last(38);
  await visit.page.keyboard.press("ControlOrMeta+Z");
  await marksAre(visit, ["22 error", "33 error"]);
  await last(35);
  await visit.loadExample(BROWSER);
  await marksAre(visit, ["10 info", "17 info"]);
  await visit.click("Clear");
  await marksAre(visit, []);
  await last(1);
});

onPage("a short text in place of a long one starts at line 1", async (visit) => {
  await visit.paste(LONG);
  await visit.verdictIs(/^At risk/);
  await scrollTo(visit, 13_000);
  await visit.loadExample(DEPLOYMENT);
  await marksAre(visit, ["22 error", "33 error"]);
  assert.equal((await numbers(visit))[0], 1);
  await standsBesideItsLine(visit, 2);
});

onPage("numbers fill the textarea when it is dragged to another size", { viewport: { width: 700, height: 1200 } }, async (visit) => {
  await visit.input.fill("line\n".repeat(400));
  const { x, y, width, height } = await visit.input.boundingBox();
  await visit.page.mouse.move(x + width - 4, y + height - 4);
  await visit.page.mouse.down();
  await visit.page.mouse.move(x + width - 4, y + height + 296, { steps: 4 });
  await visit.page.mouse.up();
  await eventually(async () => {
    const seen = await numbers(visit);
    assert.ok(seen.length * 20 > height + 260, `${seen.length} lines in ${height + 300} px`);
  });
  await standsBesideItsLine(visit, (await numbers(visit)).at(-3));
});

for (const [locale, width] of [["en", 1280], ["ja", 1280], ["zh", 1000], ["en", 320], ["ja", 320]]) {
  onPage(`its edges are on whole pixels, where they meet those of the text: ${locale}, ${width} px`,
    { locale, viewport: { width, height: 900 }, open: `#example=${DEPLOYMENT}` },
    async (visit) => {
      await visit.page.locator(".finding").first().waitFor();
      const { y, height } = await gutter(visit).boundingBox();
      assert.deepEqual([y % 1, height % 1], [0, 0]);
    });
}

onPage("at 320 px, numbers of five digits are whole and leave room for the text", { viewport: { width: 320, height: 700 } },
  async (visit) => {
    await visit.paste(LONG);
    await visit.verdictIs(/^At risk/);
    await scrollTo(visit, 10_000);
    const overflow = await row(visit, 10_000).evaluate((row) => row.scrollWidth - row.clientWidth);
    assert.equal(overflow, 0);
    const room = await visit.input.evaluate((input) => input.clientWidth);
    assert.ok(room >= 190, `${room} px are left`);
    assert.equal(await visit.page.evaluate(() => document.documentElement.scrollWidth), 320);
    await visit.input.evaluate((input) => { input.scrollLeft = 500; });
    await standsBesideItsLine(visit, 10_000);
  });

onPage("lines spaced as WCAG 1.4.12 asks keep their numbers", async (visit) => {
  await visit.page.evaluate(() => {
    const spaced = new CSSStyleSheet();
    spaced.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }");
    document.adoptedStyleSheets = [spaced];
  });
  await visit.paste(LONG);
  await visit.verdictIs(/^At risk/);
  await scrollTo(visit, 10_000);
  await standsBesideItsLine(visit, 10_000);
});

onPage("in forced colours, marks stand out from the gutter", { open: `#example=${NODE}`, forcedColors: "active" }, async (visit) => {
  await marksAre(visit, ["2 error", "5 error", "8 error", "12 error", "13 warning"]);
  const { ground, colours } = await gutter(visit).evaluate((gutter) => ({
    ground: getComputedStyle(gutter).backgroundColor,
    colours: [...gutter.querySelectorAll(".icon")].map((icon) => getComputedStyle(icon).stroke),
  }));
  assert.ok(colours.length === 5 && colours.every((colour) => colour !== ground), `${colours} on ${ground}`);
});

onPage("a text that is only to be read has its marks as well",
  { host: (address) => `<!doctype html><script src="${address}noderisk-embed.js" defer></script>
    <noderisk-check readonly><pre># node\n${LIMIT}</pre></noderisk-check>` },
  async (visit) => {
    const check = new Visit(visit.page.frameLocator("iframe"));
    await marksAre(check, ["2 warning"]);
    await row(check, 2).click();
    await eventually(async () => assert.equal(await check.page.locator("article:focus").count(), 1));
  });

onPage("a text that is held outside of the textarea has no gutter", async (visit) => {
  const folder = mkdtempSync(join(tmpdir(), "noderisk-"));
  try {
    const long = join(folder, "long.log");
    writeFileSync(long, `${LIMIT}\n`.repeat(60_000));
    const chooser = visit.page.waitForEvent("filechooser");
    await visit.click("Open file…");
    await (await chooser).setFiles(long);
    await visit.verdictIs(/^At risk/);
    assert.equal(await gutter(visit).isVisible(), false);
    await visit.click("Add another input");
    assert.equal(await gutter(visit).isVisible(), true);
    assert.deepEqual(await numbers(visit), [1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
