// What the page's Wasm cannot do itself.

/** The module at an address; only scripts can import. */
export const load = (address) => import(address);

/** Has the service worker, if there is one, keep the core for use without a network. */
export async function keep() {
  try {
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage("keep");
  } catch {
    // Pages without a secure origin have none, and sandboxes forbid it.
  }
}
