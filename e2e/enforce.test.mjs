// From findings to a policy of the cluster.

import assert from "node:assert/strict";
import { parse } from "yaml";
import { onPage } from "./stage.mjs";
import { eventually, example } from "./visit.mjs";

const RISKY = { open: "#example=memory-volume-unlimited-writer/bad-deployment.yaml" };

async function enforce(visit) {
  await visit.click("Enforce this…");
  const panel = visit.report.getByRole("region", { name: "Enforce this…" });
  const policy = async () => {
    await visit.click("Copy", panel);
    await visit.button("Copied", panel).waitFor();
    return parse(await visit.clipboard());
  };
  return { panel, policy };
}

onPage("the findings become a policy that rejects the object", RISKY, async (visit) => {
  const { panel, policy } = await enforce(visit);
  const { apiVersion, kind, metadata, spec } = await policy();
  assert.equal(`${apiVersion} ${kind}`, "policies.kubewarden.io/v1 ClusterAdmissionPolicy");
  assert.ok(metadata.name);
  assert.equal(spec.mode, "monitor", "a policy can go from monitor to protect, but not back");
  assert.match(spec.module, /^registry:\/\//);
  assert.ok(spec.rules.some(({ resources }) => resources.includes("deployments")));
  const answer = panel.getByRole("listitem");
  await answer.getByText("Denied", { exact: true }).waitFor();
  await answer.getByText("memory-volume-unlimited-writer").waitFor();
});

onPage("it can give limits instead, and shows what it would change", RISKY, async (visit) => {
  const { panel, policy } = await enforce(visit);
  const rejecting = await policy();
  await panel.getByRole("radio", { name: "Give limits where there are none, reject the rest" }).check();
  const answer = panel.getByRole("listitem");
  await answer.getByText("Accepted and changed").waitFor();
  await answer.getByText(/^\+ .*memory/m).waitFor();
  await eventually(async () => assert.notEqual(await panel.getByRole("button").last().textContent(), "Copied"));
  const { spec } = await policy();
  assert.equal(rejecting.spec.mutating, false);
  assert.equal(spec.mutating, true);
  assert.ok(spec.settings.defaultMemoryLimit);
});

const LISTED = "memory-volume-overcommits-node/bad-replicas-share-a-node.yaml";

onPage("what the policy does not see is named, and an answer leads to its object in a list", { open: `#example=${LISTED}` },
  async (visit) => {
    const { panel } = await enforce(visit);
    await panel.getByText(/^Not prevented/).getByText("memory-volume-overcommits-node").waitFor();
    const line = example(LISTED).split("\n").findIndex((line) => line.startsWith("  - ")) + 1;
    await visit.click(`line ${line}`, panel.getByRole("listitem").first());
    assert.match(await visit.selected(), /^ {2}- apiVersion: /);
  });

onPage("where a policy would not help, none is offered", { open: "#example=inotify-instances-low/bad-default-limit.txt" },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    await visit.button("Share link…").waitFor();
    assert.equal(await visit.button("Enforce this…").count(), 0);
  });
