// Keeps the page for use without a network. What is built stands before this: VERSION, which changes with any of the
// files, FILES, all that the page needs at its start, and CORE, what it checks with, which is kept once it has been of
// use: a visitor who only looks around does not pay for it. Only `offline.js` registers it, never in a page that embeds this one.

const SCOPE = new URL(registration.scope).pathname;

/** Of this version; several pages may share an origin, so the path belongs to the name. */
const CACHE = `noderisk ${SCOPE} ${VERSION}`;

/** What has a hash in its name never changes. */
const HASHED = /-[0-9a-f]{16}(_bg)?\.\w+$/;

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));

addEventListener("message", (event) => {
  // The page asks when its user does: until then it goes on with the files that it has started with.
  if (event.data === "activate") skipWaiting();
  if (event.data === "keep") event.waitUntil(keep());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(registration.scope)) {
    event.respondWith(HASHED.test(new URL(request.url).pathname) ? cacheFirst(request) : networkFirst(request));
  }
});

async function install() {
  const cache = await caches.open(CACHE);
  const fresh = (file) => new Request(file, { cache: HASHED.test(file) ? "default" : "no-cache" });
  await cache.addAll(FILES.map(fresh));
}

async function keep() {
  const cache = await caches.open(CACHE);
  const missing = await Promise.all(CORE.map(async (file) => ((await cache.match(file)) ? [] : [file])));
  await cache.addAll(missing.flat());
}

async function activate() {
  const others = (await caches.keys()).filter((name) => name.startsWith(`noderisk ${SCOPE} `) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
  await clients.claim();
}

async function cacheFirst(request) {
  return (await kept(request)) ?? fetch(request);
}

/** Rule pages are kept when they are read; the files of the page stay those of one version. */
async function networkFirst(request) {
  try {
    const response = await fetch(request);
    if (response.ok && !(await kept(request))) {
      const cache = await caches.open(CACHE);
      await cache.put(request, response.clone());
    }
    return response;
  } catch (error) {
    const found = await kept(request);
    if (found) return found;
    throw error;
  }
}

/** The query only chooses how a page looks. */
async function kept(request) {
  const cache = await caches.open(CACHE);
  const url = new URL(request.url);
  const file = url.pathname === SCOPE ? "index.html" : url.pathname;
  return cache.match(new URL(file, registration.scope), { ignoreSearch: true });
}
