// A test on the page in a browser of its own profile. It fails on whatever the browser complains of: an error in the
// console (refusals by the content security policy are among them), an exception that nobody caught, a request that
// leaves the page's origin.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeAll, start } from "./browser.mjs";

export { launch, siteBelow } from "./browser.mjs";

after(closeAll);

/**
 * A test on the page. `options`:
 * - `open`: what follows the page's address, such as `#example=…`
 * - `base`: path that the site is served below
 * - `host(address)`: HTML of a page on another origin that is opened instead; `address` is that of the site
 * - `prepare(context)`: what to do before the page is opened
 * - `complaints`: patterns of the complaints that belong to the test; each must occur
 * - `ready`: false when the page is not expected to start
 * - all else goes to the browser's profile: `locale`, `colorScheme`, `viewport`, `permissions`, …
 */
export function onPage(name, options, body = options) {
  test(name, async (t) => {
    const { open, base, host, prepare, complaints = [], ready, ...profile } = body === options ? {} : options;
    const visit = await start({ open, base, host, prepare, ready, profile });
    try {
      await body(visit, t);
      const unexpected = visit.complaints.filter((said) => !complaints.some((pattern) => pattern.test(said)));
      assert.deepEqual(unexpected, [], "the browser complained");
      for (const pattern of complaints) {
        assert.ok(visit.complaints.some((said) => pattern.test(said)), `nothing was said of ${pattern}`);
      }
    } catch (error) {
      visit.complaints.forEach((said) => t.diagnostic(said));
      throw error;
    } finally {
      await visit.close();
    }
  });
}
