// What can be told of the node by hand, when the paste does not.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";
import { eventually } from "./visit.mjs";

const LIMIT = "fs.inotify.max_user_instances = 128\n";

async function unfold({ page }) {
  await page.getByText("About the node").click();
  return page.getByRole("textbox", { name: "Max pods" });
}

onPage("fewer pods need fewer inotify instances", async (visit) => {
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  const pods = await unfold(visit);
  await pods.fill("20");
  await pods.blur();
  await visit.verdictIs(/^No risk found/);
});

/** A link that tells of a node with 30 pods, and one that tells of none. */
const OF_NODE = "#v1.d=q1YqSa0oUbJSSivWy8zLL8lMq9TLTayILy1OLYrPzCsuScxLTi1WsFUwNLKIyVPSUQJKBuSnFCtZGRvoKOXlp6T6pubmF1UCTTA0c88EKsjJzEtVsjKsBQA";
const OF_NONE = "#v1.d=q1YqSa0oUbJSUlEorixOLslRSCvWy8zLL8lMq4zJQ7D1chMr4kuLU4viM_OKSxLzklOLFWwVDI0ssCsqTyxJzgArMTM1NTaLyVOqBQA";

const summary = ({ page }) => page.locator("summary").filter({ hasText: "About the node" });

onPage("what counts of the node is said while the form is folded, and what a link brought as well", { open: OF_NODE },
  async (visit) => {
    await visit.verdictIs(/^No risk found/);
    assert.equal(await summary(visit).textContent(), "About the node: max pods 30, memory 16Gi (set here)");
    await visit.pasteOver(LIMIT);
    await visit.verdictIs(/^No risk found/);
    const pods = await unfold(visit);
    assert.equal(await pods.inputValue(), "30");
    await pods.fill("");
    await pods.blur();
    await visit.verdictIs(/^At risk/);
    assert.equal(await summary(visit).textContent(), "About the node: memory 16Gi (set here)");
  });

onPage("a link that says nothing of the node leaves what was typed", async (visit) => {
  assert.equal(await summary(visit).textContent(), "About the node");
  const pods = await unfold(visit);
  await pods.fill("20");
  await pods.blur();
  await visit.page.evaluate((hash) => (location.hash = hash), OF_NONE);
  await visit.verdictIs(/^No risk found/);
  assert.equal(await pods.inputValue(), "20");
  await visit.page.evaluate((hash) => (location.hash = hash), OF_NODE);
  await eventually(async () => assert.equal(await pods.inputValue(), "30"));
});

onPage("a wrong number is named at its field and changes nothing", async (visit) => {
  await visit.paste(LIMIT);
  const pods = await unfold(visit);
  await pods.fill("many");
  await pods.blur();
  await visit.page.getByText("Write a whole number above 0, such as 110.").waitFor();
  assert.equal(await pods.getAttribute("aria-invalid"), "true");
  await visit.verdictIs(/^At risk/);
  const memory = visit.page.getByRole("textbox", { name: "Allocatable memory" });
  await memory.fill("lots");
  await memory.blur();
  await visit.page.getByText("Write a Kubernetes quantity, such as 16Gi.").waitFor();
});

onPage("a node's memory decides whether memory volumes fit", { open: "#example=memory-volume-unlimited-writer/good-deployment.yaml" },
  async (visit) => {
    await visit.verdictIs(/^No risk found/);
    await unfold(visit);
    const memory = visit.page.getByRole("textbox", { name: "Allocatable memory" });
    await memory.fill("64Mi");
    await memory.blur();
    await visit.verdictIs(/^At risk/);
    await visit.report.getByText("memory-volume-overcommits-node", { exact: true }).waitFor();
  });

onPage("what is stated of runtime and cgroup version counts, and is said while the form is folded", async (visit) => {
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  await unfold(visit);
  // Pods need no instances on cgroup v1.
  await visit.page.getByRole("combobox", { name: "cgroup version" }).selectOption("v1");
  await visit.verdictIs(/^No risk found/);
  await visit.page.getByRole("combobox", { name: "Container runtime" }).selectOption("cri-o");
  assert.equal(await summary(visit).textContent(), "About the node: cri-o, cgroup v1 (set here)");
});

onPage("a link that fills the form leaves no message about what was wrong in it", async (visit) => {
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  const pods = await unfold(visit);
  await pods.fill("many");
  await pods.blur();
  await visit.page.getByText(/whole number above 0/).waitFor();
  await visit.page.evaluate((hash) => (location.hash = hash), OF_NODE);
  await visit.verdictIs(/^No risk found/);
  await eventually(async () => assert.equal(await pods.inputValue(), "30"));
  assert.equal(await visit.page.getByText(/whole number above 0/).count(), 0);
  assert.equal(await pods.getAttribute("aria-invalid"), null);
});
