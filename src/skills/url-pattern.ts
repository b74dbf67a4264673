/**
 * Whether an address is one a pattern such as `youtube.com/*` is for. A host stands for its subdomains too, `*.` in
 * front of it for those alone; a path is compared from its beginning, `*` in it is anything; no path is every path.
 */
export function matchUrl(pattern: string, address: string): boolean {
  const text = address.trim();
  const whole = text.includes("://") ? text : `https://${text}`;
  if (/\s/.test(text) || !URL.canParse(whole)) return false;
  const { protocol, hostname, host, pathname, search } = new URL(whole);
  if (!/^https?:$/.test(protocol)) return false;
  const [, scheme, wanted = "", path = ""] = /^(?:(https?|\*):\/\/)?([^/]*)(.*)$/s.exec(pattern.trim()) ?? [];
  if (scheme !== undefined && scheme !== "*" && `${scheme}:` !== protocol) return false;
  const given = wanted.includes(":") ? host : hostname;
  return matchHost(wanted.toLowerCase(), given) && matchPath(path, `${pathname}${search}`);
}

function matchHost(wanted: string, host: string): boolean {
  if (wanted === "*") return true;
  if (wanted.startsWith("*.")) return host.endsWith(wanted.slice(1));
  return wanted !== "" && (host === wanted || host.endsWith(`.${wanted}`));
}

/** Piece by piece rather than by a regular expression: patterns and addresses are other people's. */
function matchPath(pattern: string, path: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop();
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (last === undefined)
    return path.length === at || first === "" || /[/?]$/.test(first) || /^[/?]/.test(path.slice(at));
  return path.length - last.length >= at && path.endsWith(last);
}
