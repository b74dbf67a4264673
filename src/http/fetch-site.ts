import { registrableDomain } from "../cookies/index.ts";
import type { Site } from "./hop.ts";

const FARTHER: readonly Site[] = ["none", "same-origin", "same-site", "cross-site"];

/** Fetch Metadata 2.3, Sec-Fetch-Site: over the whole chain of redirects, so it only ever moves away. */
export function fetchSite(url: URL, page: URL | null, sofar: Site): Site {
  if (page === null) return sofar === "none" ? "same-origin" : sofar;
  const here = relation(url, page);
  return FARTHER.indexOf(here) > FARTHER.indexOf(sofar) ? here : sofar;
}

function relation(url: URL, page: URL): Site {
  if (url.origin === page.origin) return "same-origin";
  const site = (of: URL) => registrableDomain(of.hostname) ?? of.hostname;
  return url.protocol === page.protocol && site(url) === site(page) ? "same-site" : "cross-site";
}
