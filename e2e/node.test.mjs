// What can be told of the node by hand, when the paste does not.

import assert from "node:assert/strict";
import { onPage } from "./stage.mjs";

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
