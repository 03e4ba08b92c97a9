// Serves dist/ as any static server would, below a path, with the page's content security policy as a header as well.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The policy in the page's own `<meta>`. */
export function contentSecurityPolicy() {
  return /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(readFileSync(`${DIST}index.html`, "utf8"))[1];
}

/** A running server of a folder, the page's or another: its address, the paths that were asked for, and `close`. */
export async function serve(base = "/", folder = DIST) {
  const policy = contentSecurityPolicy();
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(pathname);
    const file = await fileBelow(folder, base, pathname);
    if (file === undefined) {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("not found");
      return;
    }
    response.writeHead(200, {
      "Cache-Control": "no-cache",
      ...(folder === DIST ? { "Content-Security-Policy": policy } : {}),
      "Content-Type": TYPES[extname(file.name)] ?? "application/octet-stream",
      "X-Content-Type-Options": "nosniff",
    });
    response.end(file.bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}${base}`, requests, close };
}

async function fileBelow(folder, base, pathname) {
  if (!pathname.startsWith(base)) {
    return undefined;
  }
  const asked = normalize(`/${decodeURIComponent(pathname.slice(base.length))}`).slice(1);
  const name = asked === "" || asked.endsWith("/") ? `${asked}index.html` : asked;
  try {
    return { name, bytes: await readFile(folder + name) };
  } catch {
    return undefined;
  }
}
