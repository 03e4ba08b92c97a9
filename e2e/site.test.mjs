// Where the page is served from, and what goes over the wire.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { contentSecurityPolicy } from "./site.mjs";
import { onPage, siteBelow } from "./stage.mjs";
import { example } from "./visit.mjs";

const DEPLOYMENT = example("memory-volume-unlimited-writer/bad-deployment.yaml");
const BELOW = "/docs/tool/";

onPage("below another path it works the same", { base: BELOW, open: "#example=memory-volume-unlimited-writer/bad-deployment.yaml" },
  async (visit) => {
    await visit.verdictIs(/^At risk/);
    const { requests } = await siteBelow(BELOW);
    assert.ok(requests.size >= 4, "page, style, script and Wasm");
    for (const [path, bytes] of requests) {
      assert.ok(path.startsWith(BELOW) && bytes, path);
    }
  });

onPage("whatever is done, nothing but the page's own files is asked for, and nothing is sent", async (visit) => {
  const { page } = visit;
  await page.evaluate(() => navigator.serviceWorker.ready);
  const sent = [];
  page.context().on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    assert.deepEqual([request.method(), request.postData()], ["GET", null]);
    sent.push(pathname + search);
  });
  await visit.paste(DEPLOYMENT);
  await visit.verdictIs(/^At risk/);
  await visit.saved(() => visit.click("Save SARIF"));
  await visit.click("Share link…");
  await visit.click("Enforce this…");
  await visit.button("Apply fix").first().click();
  await visit.verdictIs(/^No risk found/);
  await visit.loadExample("inotify-instances-low/bad-default-limit.txt");
  await visit.verdictIs(/^At risk/);
  const files = /^\/(worker\.js\?build=)?(checker|tools)-[0-9a-f]{16}(\.js|_bg\.wasm)?$/;
  assert.deepEqual(sent.filter((path) => !files.test(path)), []);
  assert.equal(new Set(sent).size, 6, "a script and two files of each build");
});

onPage("the browser would stop text from leaving",
  { complaints: [/violates the following Content Security Policy directive: "connect-src 'self'"/, /^console error: Fetch API cannot load/] },
  async (visit) => {
    const elsewhere = visit.page.url().replace("127.0.0.1", "localhost");
    const outcome = await visit.page.evaluate((url) => fetch(url, { method: "POST", body: "text" }).then(() => "sent", () => "stopped"), elsewhere);
    assert.equal(outcome, "stopped");
  });

onPage("an inline script would not run", { complaints: [/inline script/] }, async (visit) => {
  const ran = await visit.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return window.ran ?? false;
  });
  assert.equal(ran, false);
});

test("the policy allows scripts, styles and connections of the page's own origin alone", () => {
  const policy = Object.fromEntries(contentSecurityPolicy().split("; ").map((directive) => {
    const [name, ...sources] = directive.split(" ");
    return [name, sources.join(" ")];
  }));
  assert.equal(policy["default-src"], "'none'");
  assert.equal(policy["script-src"], "'self' 'wasm-unsafe-eval'");
  assert.equal(policy["style-src"], "'self'");
  assert.equal(policy["connect-src"], "'self'");
});

test("the server of `make run` sends the policy as a header", async (t) => {
  const server = spawn(fileURLToPath(new URL("../playground/serve.py", import.meta.url)), ["0"]);
  t.after(() => server.kill());
  const [printed] = await once(server.stdout, "data");
  const [address] = /http:\/\/\S+/.exec(printed.toString());
  const response = await fetch(address);
  assert.ok(response.headers.get("content-security-policy").startsWith(`${contentSecurityPolicy()}; `));
});
