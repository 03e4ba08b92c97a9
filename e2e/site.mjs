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

const HASHED = /-[0-9a-f]{16}(_bg)?\.\w+$/;

/** The policy in the page's own `<meta>`. */
export function contentSecurityPolicy() {
  return /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(readFileSync(`${DIST}index.html`, "utf8"))[1];
}

/**
 * A running server of a folder, the page's or another: its address, what was asked for (path and bytes of the answer),
 * and `close`. `replace` may name other bytes for a path.
 */
export async function serve(base = "/", folder = DIST) {
  const policy = contentSecurityPolicy();
  const requests = new Map();
  const replace = new Map();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = await fileBelow(folder, base, pathname);
    if (file !== undefined) {
      file.bytes = replace.get(pathname) ?? file.bytes;
    }
    requests.set(pathname, file?.bytes);
    if (file === undefined) {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("not found");
      return;
    }
    response.writeHead(200, {
      // As playground/serve.py does.
      "Access-Control-Allow-Origin": "*",
      "Cache-Control": HASHED.test(file.name) ? "public, max-age=31536000, immutable" : "no-cache",
      ...(folder === DIST ? { "Content-Security-Policy": `${policy}; frame-ancestors *` } : {}),
      "Content-Type": TYPES[extname(file.name)] ?? "application/octet-stream",
      "X-Content-Type-Options": "nosniff",
    });
    response.end(file.bytes);
  });
  return { ...(await started(server, base)), requests, replace };
}

/** A page of somebody else, on another origin, with a path `/` alone. */
export function serveHtml(html) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/" ? 200 : 204, { "Content-Type": TYPES[".html"] }).end(request.url === "/" ? html : "");
  });
  return started(server, "/");
}

async function started(server, base) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}${base}`, close };
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
