import { fetchSite } from "./fetch-site.ts";
import { bundles, dress } from "./header-bundles.ts";
import type { Hop } from "./hop.ts";
import type { Mode } from "./lease.ts";
import type { Profile } from "./profile.ts";

/** The hop with its mode's headers around the caller's. `api` adds none: programs say what they mean. */
export function dressHop(
  hop: Hop,
  mode: Mode,
  profile: Profile,
  options: { page: URL | null; http2: boolean },
): Hop {
  if (mode === "api") return hop;
  const { page, http2 } = options;
  const unsafe = hop.method !== "GET" && hop.method !== "HEAD";
  // A person's first visit has no page it came from; a form has.
  const typed = mode === "browser" && !unsafe;
  const site = typed ? "none" : fetchSite(hop.url, page, hop.site);
  const crossOrigin = !typed && page !== null && hop.url.origin !== page.origin;
  const rows = bundles[profile.family][mode];
  return {
    ...hop,
    site,
    headers: dress(rows, { profile, site, page, unsafe, crossOrigin, http2 }, hop.headers),
  };
}
