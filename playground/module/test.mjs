// The packed module, installed as a user would: it says what the command says. usage: test.mjs COMMAND PACKAGE
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const [command, archive] = process.argv.slice(2);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const consumer = mkdtempSync(join(tmpdir(), "noderisk-module-"));
after(() => rmSync(consumer, { recursive: true }));

let module;
before(async () => {
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", archive], { cwd: consumer });
  writeFileSync(join(consumer, "entry.js"), 'export * from "noderisk";');
  module = await import(pathToFileURL(join(consumer, "entry.js")));
});

/** Every example: its rule, path, text, and the settings file beside it. */
function* examples() {
  for (const rule of readdirSync(join(repository, "examples")).sort()) {
    const folder = join("examples", rule);
    const settings = join(folder, "settings.yaml");
    for (const file of readdirSync(join(repository, folder)).filter((name) => /^(bad|good)-/.test(name))) {
      const path = join(folder, file);
      const text = readFileSync(join(repository, path), "utf8");
      yield { rule, path, text, settings: existsSync(join(repository, settings)) ? settings : undefined };
    }
  }
}

/** What the command prints. */
function run(...args) {
  const { stdout, stderr, error } = spawnSync(command, args, { cwd: repository, encoding: "utf8" });
  assert.ifError(error);
  assert.equal(stderr, "");
  return stdout;
}

test("its reports are the command's, for every example", () => {
  let count = 0;
  for (const { path, text, settings } of examples()) {
    if (settings !== undefined) continue;
    const input = { name: path, text };
    for (const [format, lang] of [["json", "en"], ["markdown", "ja"], ["sarif", "zh"]]) {
      const expected = run("--format", format, "--lang", lang, path);
      assert.equal(module.render(input, format, { lang }), expected, path);
      if (format === "json") assert.deepEqual(module.check(input), JSON.parse(expected), path);
    }
    count += 1;
  }
  assert.ok(count > 50, `${count} examples`);
});

test("settings and what is known of the node count", () => {
  const path = "examples/memory-limit-over-max/bad-generous-limit.yaml";
  const text = readFileSync(join(repository, path), "utf8");
  const settings = { maxMemoryLimit: "1Gi" };
  const file = join(consumer, "settings.json");
  writeFileSync(file, JSON.stringify(settings));
  const expected = run("--format", "json", "--settings", file, "--max-pods", "30", "--node-memory", "16Gi", path);
  assert.match(expected, /memory-limit-over-max/);
  assert.equal(module.render({ name: path, text }, "json", { settings, maxPods: 30, nodeMemory: "16Gi" }), expected);
});

test("several inputs are checked together", () => {
  const { risks } = module.check(["fs.inotify.max_user_instances = 8192", { name: "mode", text: "$ uname -r\n6.12.1" }]);
  assert.equal(risks.inotify.status, "ok");
});

test("every rule is listed and explained in every language", () => {
  for (const lang of ["en", "ja", "zh"]) {
    const listed = module.rules(lang);
    assert.deepEqual(listed, JSON.parse(run("rules", "--format", "json", "--lang", lang)));
    for (const { id, title } of listed) {
      const { markdown, links, ...words } = module.explain(id, lang);
      assert.equal(words.title, title);
      assert.ok(words.why && words.fix && links.length > 0 && markdown.includes(`\`${id}\``), id);
    }
  }
  assert.equal(module.explain("no-such-rule"), undefined);
});

test("a link opens what it was made of", async () => {
  const text = "# 😀 ノード\nkind: Pod\n";
  const link = module.link(text, { maxPods: 250, nodeMemory: "16Gi", line: 2 });
  const [, data] = link.match(/^#v1\.d=([\w-]+)$/);
  const inflated = new Blob([Buffer.from(data, "base64url")]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  assert.deepEqual(await new Response(inflated).json(), { text, maxPods: 250, nodeMemory: "16Gi", line: 2 });
});

test("a text is refused that the page would not open", () => {
  assert.match(module.link("x".repeat(2 * 1024 * 1024 - 11)), /^#v1\.d=/);
  assert.throws(() => module.link("x".repeat(2 * 1024 * 1024)), { message: /no more than 2 MB/ });
});

test("what is wrong is said", () => {
  assert.throws(() => module.check(7), { message: /an input is a string/ });
  assert.throws(() => module.check("", { colour: 1 }), { message: /unknown option `colour`/ });
  assert.throws(() => module.render("", "html"), { message: /unknown format "html"/ });
  assert.throws(() => module.rules("tlh"), { message: /lang is "tlh"/ });
});

test("the types fit every report", () => {
  const reports = [...examples()].map(({ text }) => `${JSON.stringify(module.check(text))},\n`);
  const uses = `
import { check, explain, link, render, rules, type Report } from "noderisk";
export const reports: Report[] = [${reports.join("")}];
const report: Report = check(["a", { text: "b" }], { lang: "ja", settings: { maxSizeLimit: "1Gi" } });
const why = report.unread[0]?.why;
export const words: (string | undefined)[] = [
  why?.reason === "broken" ? why.message : why?.reason,
  link("a", { line: 1 }), render("a", "sarif"), explain("a", "zh")?.why, rules()[0]?.id,
];
// @ts-expect-error
check("a", { lang: "tlh" });
`;
  writeFileSync(join(consumer, "uses.ts"), uses);
  const compiler = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--module", "nodenext"];
  const { status, stdout, error } = spawnSync("tsc", [...compiler, "uses.ts"], { cwd: consumer, encoding: "utf8" });
  assert.ifError(error);
  assert.equal(status, 0, stdout);
  const declared = readFileSync(join(consumer, "node_modules/noderisk/index.d.ts"), "utf8");
  const functions = [...declared.matchAll(/^export function (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(functions.sort(), Object.keys(module).sort());
});
