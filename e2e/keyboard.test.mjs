// The page without a mouse, and what a screen reader is told.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { EDITABLE, eventually, example } from "./visit.mjs";

const NODE = "inotify-instances-exhausted/bad-cgroup-v2-node.txt";
const DEPLOYMENT = "memory-volume-unlimited-writer/bad-deployment.yaml";

onPage("from the paste to the copied remedy with the keyboard alone", async (visit) => {
  const { keyboard } = visit.page;
  await visit.page.evaluate((text) => navigator.clipboard.writeText(text), example(NODE));
  await keyboard.press("Tab");
  assert.equal(await visit.focused(), "Skip to the report");
  await tabTo(visit, /^Paste a manifest/);
  await keyboard.press("ControlOrMeta+V");
  await visit.statusIs(/At risk/);
  await keyboard.press("F8");
  const worst = visit.findings.first();
  assert.ok(await worst.evaluate((article) => article === document.activeElement));
  await tabTo(visit, /^Copy$/);
  assert.ok(await worst.evaluate((article) => article.contains(document.activeElement)), "the remedy of this finding");
  await keyboard.press("Enter");
  await eventually(async () => assert.equal(await visit.focused(), "Copied"));
  const remedy = await worst.locator("pre").first().textContent();
  assert.ok(remedy.includes("sysctl"), remedy);
  assert.equal(await visit.clipboard(), remedy);
});

async function tabTo(visit, name) {
  for (let stops = 0; stops < 60; stops++) {
    await visit.page.keyboard.press("Tab");
    if (name.test(await visit.focused())) {
      return;
    }
  }
  assert.fail(`${name} is not reached with Tab`);
}

onPage("the skip link leads past the input", async (visit) => {
  await visit.paste(example(DEPLOYMENT));
  await visit.verdictIs(/^At risk/);
  await visit.page.getByRole("link", { name: "Skip to the report" }).focus();
  await visit.page.keyboard.press("Enter");
  await visit.page.keyboard.press("Tab");
  assert.ok(await visit.report.evaluate((report) => report.contains(document.activeElement)));
});

for (const name of ["Share link…", "Enforce this…"]) {
  onPage(`what “${name}” unfolds gets the focus, stands behind its button, and Escape folds it again`,
    { open: `#example=${DEPLOYMENT}` },
    async (visit) => {
      const { keyboard } = visit.page;
      await visit.verdictIs(/^At risk/);
      const [button, panel] = [visit.button(name), visit.report.getByRole("region", { name })];
      const hasFocus = (locator) => eventually(async () => {
        assert.ok(await locator.evaluate((element) => element === document.activeElement));
      });
      await button.focus();
      await keyboard.press("Enter");
      await hasFocus(panel);
      await keyboard.press("Shift+Tab");
      await hasFocus(button);
      await keyboard.press("Tab");
      assert.ok(await panel.evaluate((panel) => panel.contains(document.activeElement)), "Tab leads from the button into it");
      await keyboard.press("Escape");
      await hasFocus(button);
      assert.equal(await panel.count(), 0);
      assert.equal(await button.getAttribute("aria-expanded"), "false");
    });
}

for (const width of [1280, 320]) {
  onPage(`at ${width} px every stop of Tab is seen, marked, and not covered`,
    { open: `#example=${DEPLOYMENT}`, viewport: { width, height: 700 } },
    async (visit) => {
      await visit.verdictIs(/^At risk/);
      await visit.click("Share link…");
      await visit.click("Enforce this…");
      // What comes into a panel only now would push down whatever has the focus below it.
      await visit.button("Copy link").waitFor();
      await visit.report.getByRole("listitem").getByText("Denied", { exact: true }).waitFor();
      await visit.page.getByRole("link", { name: "Skip to the report" }).focus();
      let stops = 0;
      for (; stops < 150; stops++) {
        await visit.page.keyboard.press("Tab");
        const stop = await visit.page.evaluate(look);
        if (stop.name === "BODY") {
          break;
        }
        assert.ok(stop.marked && stop.inView && !stop.covered, JSON.stringify(stop));
      }
      assert.ok(stops > 25 && stops < 150, `${stops} stops, then round again`);
    });
}

/** What the element with the focus looks like. Runs in the page. */
function look() {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  // Long fields are in view when a part of them is.
  const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
  const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  const there = document.elementFromPoint(x, y);
  return {
    name: element === document.body ? "BODY" : `${element.tagName} ${element.textContent.slice(0, 40)}`,
    marked: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
    inView: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    covered: !(there && (element.contains(there) || there.contains(element))),
  };
}

onPage("the focus is never lost when what had it goes away", async (visit) => {
  const { keyboard } = visit.page;
  const press = async (name) => {
    await visit.button(name).first().focus();
    await keyboard.press("Enter");
  };
  const isSomewhere = (after) => eventually(async () => {
    assert.notEqual(await visit.page.evaluate(() => document.activeElement.tagName), "BODY", after);
  });
  await press("Memory volume that nothing limits");
  await visit.verdictIs(/^At risk/);
  await isSomewhere("a sample that takes the place of its own button");
  await press("Apply fix");
  await visit.verdictIs(/^No risk found/);
  await isSomewhere("a fix that removes its finding");
  await press("Clear");
  await visit.statusIs(/^Ready/);
  await isSomewhere("clearing, which removes its button");
  await press("Bring my text back");
  await visit.verdictIs(/^No risk found/);
  await isSomewhere("bringing a text back");
});

onPage("the focus is never lost beside a text that is too long for the field", async (visit) => {
  const held = visit.page.getByRole("region", { name: "Pasted text" });
  const is = (name, when) => eventually(async () => assert.match(await visit.focused(), name, when));
  const press = async (name, within) => {
    await visit.button(name, within).focus();
    await visit.page.keyboard.press("Enter");
  };
  await visit.paste("# chatter\n".repeat(EDITABLE / 10 + 1));
  await held.waitFor();
  await is(/^Pasted text$/, "what has taken the place of the field");
  await press("Add another input");
  await is(/^Paste a manifest/, "an empty field to paste into");
  await visit.paste(example(DEPLOYMENT));
  await visit.verdictIs(/^At risk/);
  await press("Pasted text", visit.inputs);
  await held.waitFor();
  await is(/^Pasted text$/, "the button stays");
  await press("Remove Pasted text");
  await eventually(async () => assert.equal(await visit.inputs.getByRole("button", { name: /^Remove/ }).count(), 0));
  await is(/^Report$/, "the long one is removed");
  await press("Bring my text back");
  await held.waitFor();
  await is(/^Pasted text$/, "the long one is back");
});

onPage("a screen reader hears the outcome of each step", async (visit) => {
  const heard = await visit.page.evaluateHandle(() => {
    const heard = [];
    const live = "[aria-live=polite], [role=status]";
    const listen = new MutationObserver((changes) => changes.forEach(({ target }) => {
      const region = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target).closest(live);
      heard.push(region?.textContent);
    }));
    listen.observe(document.body, { subtree: true, childList: true, characterData: true });
    return heard;
  });
  const hears = (pattern) => eventually(async () => {
    const all = await heard.jsonValue();
    assert.ok(all.some((text) => text && pattern.test(text)), `${pattern} in ${all.filter(Boolean)}`);
  });
  await visit.paste(example(DEPLOYMENT));
  await hears(/^34 lines checked\. At risk: this can take a node down\.$/);
  await visit.click("Copy as Markdown");
  await hears(/^Copied$/);
  await visit.button("Apply fix").click();
  await hears(/^Fixed lines? .* No risk found in what was read\.$/);
  await visit.page.getByText("About the node").click();
  await visit.page.getByRole("textbox", { name: "Max pods" }).fill("none");
  await visit.page.keyboard.press("Tab");
  await hears(/^Write a whole number above 0/);
});
