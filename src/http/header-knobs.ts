import { bundles, dress } from "./header-bundles.ts";
import type { HeaderPair } from "./hop.ts";
import { type ProfileName, profileOf } from "./profile.ts";

export interface Knobs {
  /** Whose gate the service stands behind: client hints, Sec-Fetch-* and the HTTP version that passes it. */
  readonly waf?: "cf" | "vercel";
  /** A browser, in TLS and headers alike, or a User-Agent to send as it is. */
  readonly ua?: string;
  readonly mode?: "fetch" | "navigate";
  readonly accept?: "json" | "html" | "any";
  /** These win over everything above. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** A part of an `OutRequest`. */
export interface Dressing {
  readonly headers: readonly HeaderPair[];
  readonly http2?: boolean;
  readonly ua?: ProfileName;
}

const PROFILES: readonly ProfileName[] = ["chrome-desktop", "chrome-mobile", "safari-desktop"];
/** Vercel's checkpoint refuses HTTP/2 whatever else a request says. */
const HTTP2 = { cf: true, vercel: false } as const;

/** Headers for an `api` connection that must pass for a browser, each knob by itself. */
export function headers({ waf, ua = "chrome-desktop", mode = "fetch", accept, extra = {} }: Knobs): Dressing {
  const preset = PROFILES.find((name) => name === ua);
  const profile = profileOf(preset ?? "chrome-desktop");
  const { knobs } = bundles;
  const rows = waf === undefined ? knobs.standard : [...knobs.clientHints, ...knobs[mode], ...knobs.standard];
  const accepted = { json: "application/json", html: profile.find("accept") ?? "text/html", any: "*/*" };
  const given = new Map(
    Object.entries(extra).map(([name, value]) => [name.toLowerCase(), [name, value] as const]),
  );
  if (accept !== undefined && !given.has("accept")) given.set("accept", ["Accept", accepted[accept]]);
  if (preset === undefined && !given.has("user-agent")) given.set("user-agent", ["User-Agent", ua]);
  const scene = {
    profile,
    site: "same-origin",
    page: null,
    unsafe: false,
    crossOrigin: false,
    http2: true,
  } as const;
  return {
    headers: dress(rows, scene, [...given.values()]),
    ...(waf === undefined ? {} : { http2: HTTP2[waf] }),
    ...(preset === undefined ? {} : { ua: preset }),
  };
}
