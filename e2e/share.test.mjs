// Links that carry the text: made, opened for ever, and refused when hostile.

import assert from "node:assert/strict";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { onPage } from "./stage.mjs";
import { EDITABLE, POD, eventually, example, Visit } from "./visit.mjs";

const DEPLOYMENT = example("memory-volume-unlimited-writer/bad-deployment.yaml");

const LIMIT = "fs.inotify.max_user_instances = 128\n";

const packed = (bytes) => `#v1.d=${deflateRawSync(bytes, { level: 9 }).toString("base64url")}`;
const carrying = (state) => packed(JSON.stringify(state));

/** Links that are out in the world. They are never changed, only added to. */
const GOLDEN = [
  {
    link: "#v1.d=q1YqSa0oUbJSUlEorixOLslRSCvWy8zLL8lMq4zJQ7D1chMr4kuLU4viM_OKSxLzklOLFWwVDI0ssCsqTyxJzgArMTM1NTaLyVOqBQA",
    text: "$ sysctl fs.inotify\nfs.inotify.max_user_instances = 128\nfs.inotify.max_user_watches = 65536\n",
    rule: "inotify-instances-low",
  },
  {
    link: "#v1.d=VY4xCsJAEEWvMqytInYyta1gZeNaTMygi87skmyCIQSEXMJOtPRauYBHMFEby_d5__NrE_kcDZoRvG7XC3TtvWsfXfu0enSaIqx8apWCW3OWO68I5cyqcKSUIiHUSsII1FjNA-_QKsDOaySnfeGDE_g5IQwI4IT2PSdFXiX-_M1KfyqEl77QmCNsfrPlGGSIVhQPCNOy2Q721_3XWEKsFi7rHwmnrhCEJYvPqmbomLE59YcMzps3",
    text: "# 😀 メモリ\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec:\n  containers:\n  - name: app\n    image: busybox\n    volumeMounts: [{name: v, mountPath: /v}]\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\n",
    rule: "memory-volume-unlimited-writer",
    line: 8,
  },
  {
    link: "#v1.d=q1YqSa0oUbJSSivWy8zLL8lMq9TLTayILy1OLYrPzCsuScxLTi1WsFUwNLKIyVPSUQJKBuSnFCtZGRvoKOXlp6T6pubmF1UCTTA0c88EKsjJzEtVsjKsBQA",
    text: "fs.inotify.max_user_instances = 128\n",
    // With the 30 pods that the link tells of, 128 are enough.
    rule: undefined,
    node: { pods: "30", memory: "16Gi" },
  },
];

for (const { link, text, rule, line, node } of GOLDEN) {
  onPage(`a link of earlier days opens: ${link.slice(0, 24)}…`, { open: link }, async (visit) => {
    await visit.verdictIs(rule ? /^At risk/ : /^No risk found/);
    assert.equal(await visit.input.inputValue(), text);
    if (rule) {
      await visit.report.getByText(rule, { exact: true }).waitFor();
    }
    if (line) {
      const before = await visit.input.evaluate((input) => input.value.slice(0, input.selectionStart));
      assert.equal(before.split("\n").length, line);
    }
    if (node) {
      await visit.page.getByText("About the node").click();
      assert.equal(await visit.page.getByRole("textbox", { name: "Max pods" }).inputValue(), node.pods);
      assert.equal(await visit.page.getByRole("textbox", { name: "Allocatable memory" }).inputValue(), node.memory);
    }
  });
}

/** The same with several texts: those of the first time, and those that tell which is on show. */
const GOLDEN_SEVERAL = [
  { link: "#v2.d=VY-xagMxDIZfRXi-XEmmYujWNZCpSy4E5axQ00g2Z9015vC7127SoeP_6_sktBqluxprrqn3EtRfc894P8-JprOXpCgjJXiD7e51ENMZQaaKS3DUazU78-XF1SblNOqtZg5TJY7rHxqD6zNyGz1vNcPCIbhBMPoPmpIPYmHZDsKk6FDRwtp0C990KYOkSKMdBGAMouilKr9xAw8KY2wRYAm3mWkfZtFk4fhcsnTArTqgflp4Wcqp0Q_2P0YcNb_7qd5ncn5mC3uqH-XSHFNO5Qc", text: LIMIT, shown: "node.txt" },
  { link: "#v2.d=VY9Na8MwDIb_itA5y8gOYwh227XQ0y51KV6sUrNYNrGSNoT899lrd9jxlZ5HHysq3xQJz7n1EtWflzbY22nKPJ68ZLXSc4Z36F7ejGCDYgMXXKLjVovZ4LcXVyp5yb0OJYc4FuKw_qEpunaxobYeu6pBsI_OiE3-k8fsoxDMnZHAap1VS7BWneDKX5uRnLgnIwB9FLVeivIbn-BO2ZRqBJjjMAXexUk0ExweQ-YGQi3trV4InuftWOk7-x_jkHT58GPZH9j5KRDsuHy0bNXB7dhgvsSrIHUNDuUQpNftBw", text: POD, shown: "pod.yaml", at: 6 },
];

for (const { link, text, shown, at } of GOLDEN_SEVERAL) {
  onPage(`a link of earlier days with several texts opens, ${shown} first`, { open: link }, async (visit) => {
    await visit.statusIs(/^9 lines checked\. At risk/);
    assert.deepEqual(await visit.inputNames(), ["node.txt", "pod.yaml"]);
    assert.deepEqual(await kinds(visit, "node.txt", "pod.yaml"), ["sysctl", ""]);
    assert.deepEqual(await visit.rules(), ["inotify-instances-low", "memory-volume-unlimited-writer"]);
    assert.equal(await visit.input.inputValue(), text);
    assert.equal(await visit.inputs.locator("[aria-current]").textContent(), shown);
    if (at) {
      assert.equal(await line(visit), at);
    }
  });
}

/** Open the panel, copy the link, and read what it carries. */
async function share(visit) {
  const panel = visit.report.getByRole("region", { name: "Share link…" });
  if (!await panel.isVisible()) {
    await visit.click("Share link…");
  }
  await visit.click("Copy link", panel);
  await visit.button("Copied", panel).waitFor();
  const link = await visit.clipboard();
  const carried = JSON.parse(inflateRawSync(Buffer.from(new URL(link).hash.replace(/^#v[12]\.d=/, ""), "base64url")));
  const preview = panel.getByRole("textbox", { name: "The text in the link" });
  return { link, carried, panel, preview };
}

onPage("a link goes round: copied here, opened elsewhere", async (visit) => {
  await visit.paste(DEPLOYMENT);
  await visit.verdictIs(/^At risk/);
  const { link, carried } = await share(visit);
  assert.equal(carried.text, DEPLOYMENT);
  assert.ok(link.startsWith(`${visit.page.url()}#v1.d=`), "nothing goes into the query");
  const other = await openElsewhere(visit, link);
  await other.verdictIs(/^At risk/);
  assert.equal(await other.input.inputValue(), DEPLOYMENT);
});

/** The page that a link opens in a tab of its own. */
async function openElsewhere(visit, link) {
  const [page] = await Promise.all([
    visit.page.context().waitForEvent("page"),
    visit.page.evaluate((link) => void open(link, "_blank", "noopener"), link),
  ]);
  return new Visit(page);
}

onPage("several inputs go round with their names, kinds and the one on show", async (visit) => {
  await visit.paste(LIMIT);
  await visit.click("Add another input");
  await visit.paste(POD);
  await visit.click("Add another input");
  await visit.paste("nothing to see here\n");
  await visit.readAs("Pasted text").selectOption("sysctl");
  await visit.readAs("paste-3").selectOption("log");
  await visit.inputs.getByRole("button", { name: "paste-2", exact: true }).click();
  await visit.statusIs(/^10 lines checked\. At risk/);
  await visit.input.evaluate((input) => input.setSelectionRange(input.value.length - 1, input.value.length - 1));
  const { link, carried, preview } = await share(visit);
  assert.ok(link.startsWith(`${visit.page.url()}#v2.d=`), "a page that knows version 1 alone must not lose any");
  assert.deepEqual(carried, {
    text: LIMIT,
    kind: "sysctl",
    more: [{ name: "paste-2", text: POD }, { name: "paste-3", text: "nothing to see here\n", kind: "log" }],
    shown: 1,
    line: 8,
  });
  assert.equal(await preview.inputValue(), `${LIMIT}\n--- paste-2\n${POD}\n--- paste-3\nnothing to see here\n`);
  const other = await openElsewhere(visit, link);
  await other.statusIs(/^10 lines checked\. At risk/);
  assert.deepEqual(await other.inputNames(), ["Pasted text", "paste-2", "paste-3"]);
  assert.deepEqual(await kinds(other, "Pasted text", "paste-2", "paste-3"), ["sysctl", "", "log"]);
  assert.equal(await other.input.inputValue(), POD);
  assert.equal(await other.inputs.locator("[aria-current]").textContent(), "paste-2");
  assert.deepEqual(await other.rules(), await visit.rules());
  assert.equal(await line(other), 8);
});

/** How the inputs with these names are read. */
function kinds(visit, ...names) {
  return Promise.all(names.map((name) => visit.readAs(name).inputValue()));
}

/** The line that the cursor is in. */
function line(visit) {
  return visit.input.evaluate((input) => input.value.slice(0, input.selectionStart).split("\n").length);
}

onPage("a link opens a text that is too long for the field beside it",
  { open: carrying({ text: `${"a line of chatter\n".repeat(EDITABLE / 16)}${LIMIT}` }) },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    await visit.page.getByRole("region", { name: "Pasted text" }).getByText(/^Too long to be edited here/).waitFor();
    assert.equal(await visit.input.count(), 0, "the field is hidden");
  });

onPage("the address holds a text only as long as it is there", { open: GOLDEN[0].link }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  assert.equal(new URL(visit.page.url()).hash, GOLDEN[0].link);
  await visit.paste("uname -r\n");
  await visit.statusIs(/checked/);
  assert.equal(new URL(visit.page.url()).hash, "");
});

const SECRETS = `kind: Secret
apiVersion: v1
metadata:
  name: db
data:
  password: aHVudGVyMg==
---
kind: Pod
apiVersion: v1
metadata:
  name: app
spec:
  containers:
  - name: app
    image: registry.corp.example/app
    env:
    - name: API_KEY
      value: open-sesame
    args: ["--token=s3cr3t-t0ken", "--peer=10.42.7.9", "--home=db01.prod.internal"]
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {medium: Memory}}]
`;

onPage("a link carries no secrets, tokens, addresses or names, and shows so before", async (visit) => {
  await visit.paste(SECRETS);
  await visit.verdictIs(/^At risk/);
  const { carried, panel, preview } = await share(visit);
  assert.equal(await preview.inputValue(), carried.text);
  for (const secret of ["aHVudGVyMg==", "open-sesame", "s3cr3t-t0ken", "10.42.7.9", "db01.prod.internal"]) {
    assert.ok(!carried.text.includes(secret), secret);
  }
  assert.equal(carried.text.split("\n").length, SECRETS.split("\n").length, "findings stay at their lines");
  assert.match(carried.text, /emptyDir: \{medium: Memory\}/);
  await panel.getByRole("checkbox", { name: "IP addresses" }).uncheck();
  const again = await share(visit);
  assert.ok(again.carried.text.includes("10.42.7.9"), "what is to stay in stays in");
  assert.ok(!again.carried.text.includes("s3cr3t-t0ken"));
  assert.equal(await visit.input.inputValue(), SECRETS, "the text itself stays");
});

onPage("a link that is too long is not offered, and the length is told", async (visit) => {
  const noise = Array.from({ length: 4_000 }, (_, at) => `net.noise_${(at * 2654435761) % 4294967296}.mark = ${at}`);
  await visit.paste(`fs.inotify.max_user_instances = 128\n${noise.join("\n")}\n`);
  await visit.verdictIs(/^At risk/);
  await visit.click("Share link…");
  const panel = visit.report.getByRole("region", { name: "Share link…" });
  await panel.getByRole("checkbox", { name: "lines without findings" }).uncheck();
  await panel.getByText(/^The link has \d{5,} characters\. More than 30000 do not get through/).waitFor();
  assert.equal(await visit.button("Copy link", panel).count(), 0);
});

onPage("a link that no page would open is not offered, and why is told", async (visit) => {
  await visit.paste(LIMIT);
  await visit.verdictIs(/^At risk/);
  const files = Array.from({ length: 100 }, (_, at) => ({ name: `${at}.txt`, mimeType: "text/plain", buffer: Buffer.from("uname -r\n") }));
  await visit.page.locator("input[type=file]").setInputFiles(files);
  await visit.statusIs(/^101 lines checked/);
  await visit.click("Share link…");
  const panel = visit.report.getByRole("region", { name: "Share link…" });
  await panel.getByText(/^A link with more than 100 texts or 2 MB cannot be opened/).waitFor();
  assert.equal(await visit.button("Copy link", panel).count(), 0);
  await visit.click("Remove 99.txt");
  const { link, carried } = await share(visit);
  assert.equal(carried.more.length, 99);
  const other = await openElsewhere(visit, link);
  await other.statusIs(/^100 lines checked/);
});

onPage("the link of a long text carries the lines behind its findings, which keep their places", async (visit) => {
  const others = Array.from({ length: 2_000 }, (_, at) => `net.noise_${(at * 2654435761) % 4294967296}.mark = ${at}\n`);
  await visit.paste(`${others.slice(0, 1_000).join("")}${LIMIT}${others.slice(1_000).join("")}`);
  await visit.verdictIs(/^At risk/);
  await visit.click("Share link…");
  const panel = visit.report.getByRole("region", { name: "Share link…" });
  await panel.getByRole("checkbox", { name: "lines without findings", checked: true }).waitFor();
  const { link, carried } = await share(visit);
  assert.ok(link.length < 1_000, `${link.length} characters`);
  assert.equal(carried.text, `${"\n".repeat(999)}${others[999]}${LIMIT}${"\n".repeat(1_000)}`);
  const other = await openElsewhere(visit, link);
  await other.verdictIs(/^At risk/);
  assert.deepEqual(await other.rules(), await visit.rules());
  await other.findings.getByRole("button", { name: "line 1001" }).waitFor();
});

onPage("a log that is too long for the field is shared by its telling lines", async (visit) => {
  const line = "Nov 30 02:41:14 node-7 kubelet[1]: failed to create fsnotify watcher: too many open files\n";
  await visit.paste(`${"a line of chatter\n".repeat(EDITABLE / 18 + 1)}${line}`);
  await visit.verdictIs(/^At risk/);
  await visit.click("Share link…");
  const panel = visit.report.getByRole("region", { name: "Share link…" });
  await panel.getByRole("checkbox", { name: "lines without findings", checked: true }).waitFor();
  assert.equal(await panel.getByText(/left out of the link/).count(), 0);
  const other = await openElsewhere(visit, (await share(visit)).link);
  await other.verdictIs(/^At risk/);
  assert.deepEqual(await other.rules(), await visit.rules());
});

const severalOf = (state) => carrying(state).replace("#v1", "#v2");

const DAMAGED = /^This link is damaged/;
const REFUSED = [
  ["cut on its way", GOLDEN[1].link.slice(0, -30), DAMAGED],
  ["changed on its way", GOLDEN[0].link.replace("SUlEorixOLslRSCvWy8zLL8", "SUlEOrIXoLSLrscVwY8ZllL8"), DAMAGED],
  ["no base64", "#v1.d=%F0%9F%98%80", DAMAGED],
  ["not deflated", `#v1.d=${Buffer.from('{"text":"kind: Pod"}').toString("base64url")}`, DAMAGED],
  ["of another codec", "#v1.z=q1YqSa0oUbJSUg", DAMAGED],
  ["without text", carrying({ line: 3 }), DAMAGED],
  ["with another type of text", carrying({ text: ["kind: Pod"] }), DAMAGED],
  ["nested without end", packed("[".repeat(1_000_000)), DAMAGED],
  ["of several texts, cut on its way", GOLDEN_SEVERAL[1].link.slice(0, -30), DAMAGED],
  ["of several texts and another codec", "#v2.z=VY-xagMxDIZfRXi", DAMAGED],
  ["of several texts without the first", severalOf({ more: [{ name: "a", text: "kind: Pod" }] }), DAMAGED],
  ["of a later version", "#v9.d=q1YqSa0oUbJSUg", /^This link was made by a newer version/],
  ["a bomb", packed(Buffer.alloc(256 * 1024 * 1024, " ")), /^This link holds more text/],
];

onPage("broken and hostile links are refused in words, and the page goes on", async (visit) => {
  for (const [what, link, said] of REFUSED) {
    await visit.page.evaluate((link) => (location.hash = link), link);
    await eventually(async () => assert.match(await visit.status.textContent(), said, what));
    await visit.pasteOver(DEPLOYMENT);
    await visit.statusIs(/^34 lines checked/);
  }
});

onPage("a page that is opened by a bomb is there all the same", { open: REFUSED.at(-1)[1] }, async (visit) => {
  await visit.statusIs(REFUSED.at(-1)[2]);
  await visit.paste(DEPLOYMENT);
  await visit.verdictIs(/^At risk/);
});

onPage("texts and kinds of a link that make no sense are passed over",
  { open: severalOf({ text: LIMIT, kind: "nonsense", shown: 7, more: [{ text: "no name" }, 1, { name: "b", text: POD, kind: 3 }] }) },
  async (visit) => {
    await visit.statusIs(/^9 lines checked\. At risk/);
    assert.deepEqual(await visit.inputNames(), ["Pasted text", "b"]);
    assert.deepEqual(await kinds(visit, "Pasted text", "b"), ["", ""]);
  });

onPage("fields of a link that make no sense are passed over",
  { open: carrying({ text: DEPLOYMENT, line: 1e15, maxPods: -3, nodeMemory: "lots", theme: 1 }) },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    assert.equal(await visit.input.inputValue(), DEPLOYMENT);
  });

onPage("a link that arrives while there is text takes its place, and the text comes back", async (visit) => {
  await visit.paste("# mine\nuname -r\n");
  await visit.statusIs(/checked/);
  await visit.page.evaluate((hash) => (location.hash = hash), GOLDEN[0].link);
  await visit.verdictIs(/^At risk/);
  await visit.click("Bring my text back");
  assert.equal(await visit.input.inputValue(), "# mine\nuname -r\n");
});

const MARKUP = `kind: Pod # <img src=x onerror=alert(1)>
apiVersion: v1
metadata: {name: "<img src=x onerror=alert(1)>"}
spec:
  containers:
  - name: "<script>alert(1)</script>"
    volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, emptyDir: {medium: Memory}}]
`;

onPage("markup in a link stays text", { open: carrying({ text: MARKUP }) }, async (visit) => {
  await visit.verdictIs(/^At risk/);
  await visit.findings.getByText("<script>alert(1)</script>", { exact: true }).first().waitFor();
  assert.equal(await visit.page.locator("img, main script").count(), 0);
});

onPage("the link is that of the present text, also when the findings stay the same", async (visit) => {
  await visit.paste("fs.inotify.max_user_instances = 128\n# first\n");
  await visit.verdictIs(/^At risk/);
  await visit.click("Share link…");
  const preview = visit.report.getByRole("region", { name: "Share link…" }).getByRole("textbox");
  await eventually(async () => assert.match(await preview.inputValue(), /# first/));
  await visit.pasteOver("fs.inotify.max_user_instances = 128\n# other\n");
  await eventually(async () => assert.match(await preview.inputValue(), /# other/));
  assert.doesNotMatch(await preview.inputValue(), /# first/);
});

onPage("a box that is ticked keeps the focus while the next link is made", async (visit) => {
  const others = Array.from({ length: 2_000 }, (_, at) => `net.noise_${(at * 2654435761) % 4294967296}.mark = ${at}\n`);
  await visit.paste(`${others.join("")}${LIMIT}`);
  await visit.verdictIs(/^At risk/);
  await visit.click("Share link…");
  const panel = visit.report.getByRole("region", { name: "Share link…" });
  const box = panel.getByRole("checkbox", { name: "lines without findings" });
  await box.focus();
  await visit.page.keyboard.press("Space");
  await panel.getByText(/^The link has \d{5,} characters/).waitFor();
  assert.equal(await box.evaluate((box) => box === document.activeElement && !box.checked), true);
});

onPage("a link leads to the line that the cursor is in when it is copied", async (visit) => {
  await visit.paste(DEPLOYMENT);
  await visit.verdictIs(/^At risk/);
  const last = DEPLOYMENT.trimEnd().split("\n").length + 1;
  assert.equal((await share(visit)).carried.line, last);
  await visit.click("line 22", visit.findings.first());
  assert.equal((await share(visit)).carried.line, 22);
});

onPage("the button of a link keeps the focus when the text changes, and copies none but the next link", async (visit) => {
  await visit.paste(`${LIMIT}# first\n`);
  await visit.verdictIs(/^At risk/);
  const { panel, preview } = await share(visit);
  await visit.page.evaluate(() => navigator.clipboard.writeText("nothing yet"));
  await visit.input.evaluate((input, text) => {
    input.value = text;
    input.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste", bubbles: true }));
    // The page knows of the other text, and has not checked it yet.
    document.activeElement.click();
  }, `${LIMIT}# other\n`);
  await eventually(async () => assert.match(await preview.inputValue(), /# other/));
  assert.equal(await visit.clipboard(), "nothing yet");
  assert.match(await visit.focused(), /^(Copied|Copy link)$/);
  assert.equal((await share(visit)).carried.text, `${LIMIT}# other\n`);
  assert.equal(await panel.getByRole("button", { disabled: true }).count(), 0);
});

for (const width of [1280, 320]) {
  let come;
  const late = new Promise((resolve) => (come = resolve));
  const prepare = (context) => context.route("**/tools-*", (route) => late.then(() => route.continue()));
  onPage(`nothing below is pushed away when a first link comes late, ${width} px`, { prepare, viewport: { width, height: 900 } },
    async (visit) => {
      await visit.paste(LIMIT);
      await visit.verdictIs(/^At risk/);
      await visit.click("Share link…");
      const panel = visit.report.getByRole("region", { name: "Share link…" });
      await panel.getByText("Working…").waitFor();
      const below = () => visit.report.locator(".risks").evaluate((risks) => risks.getBoundingClientRect().top + scrollY);
      const before = await below();
      come();
      await panel.getByText(/^The link has/).waitFor();
      assert.ok(Math.abs(await below() - before) <= 1, `${before} px, then ${await below()} px`);
    });
}

onPage("machines of several inputs stay apart in a link", async (visit) => {
  await visit.paste("root@worker-7:~# uname -r\n3.10.0-957.el7.x86_64\n");
  await visit.click("Add another input");
  await visit.paste("root@worker-9:~# cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz root=/dev/sda1 cgroup.memory=nokmem\n");
  await visit.verdictIs(/^At risk/);
  const other = await openElsewhere(visit, (await share(visit)).link);
  await other.verdictIs(/^At risk/);
  assert.deepEqual(await other.rules(), await visit.rules());
});
