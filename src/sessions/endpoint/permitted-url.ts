/**
 * The address in the form the browser would give it, where a session may go there; undefined for everything else:
 * files, the browser's own pages, views of sources. Parsed here and passed on as parsed, so that no second reading of
 * odd spellings decides otherwise.
 */
export function permittedUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol === "about:") return url.pathname === "blank" ? url.href : undefined;
  return /^(https?|data):$/.test(url.protocol) || isWebBlob(url) ? url.href : undefined;
}

/** What a target may be at for a client to see it: where it may go, before it went anywhere, and failed loads. */
export function isShownAt(text: string): boolean {
  if (text === "" || text === ":" || text.startsWith("about:")) return true;
  return permittedUrl(text) !== undefined || text.startsWith("chrome-error:");
}

/** `blob:` carries the origin it was made in; sandboxed pages have none. */
function isWebBlob({ protocol, pathname }: URL): boolean {
  return protocol === "blob:" && /^(null\/|https?:)/.test(pathname);
}
