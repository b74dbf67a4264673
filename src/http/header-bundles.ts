import type { HeaderPair, Site } from "./hop.ts";
import type { Profile } from "./profile.ts";

/** What a bundle is filled in from. */
export interface Scene {
  readonly profile: Profile;
  readonly site: Site;
  /** The page a script's request or a form comes from. */
  readonly page: URL | null;
  /** True for the methods a browser sends an Origin with. */
  readonly unsafe: boolean;
  readonly crossOrigin: boolean;
  readonly http2: boolean;
}

type Value = string | ((scene: Scene) => string | undefined);
type Row = readonly [name: string, value: Value];

const own =
  (header: string) =>
  ({ profile }: Scene) =>
    profile.find(header);
const origin = ({ unsafe, crossOrigin, page }: Scene) => (unsafe || crossOrigin ? page?.origin : undefined);
/** Referrer Policy, strict-origin-when-cross-origin. The page itself is unknown, its origin is not. */
const referer = ({ page, site }: Scene) => (page === null || site === "none" ? undefined : `${page.origin}/`);
const priority = (value: string) => (scene: Scene) => (scene.http2 ? value : undefined);
const keepAlive = (scene: Scene) => (scene.http2 ? undefined : "keep-alive");
const site = (scene: Scene) => scene.site;
/** A place in the order for what only the caller or the jar can fill. */
const place = () => undefined;

const clientHints: readonly Row[] = [
  ["sec-ch-ua", own("sec-ch-ua")],
  ["sec-ch-ua-mobile", own("sec-ch-ua-mobile")],
  ["sec-ch-ua-platform", own("sec-ch-ua-platform")],
];
const standard: readonly Row[] = [
  ["User-Agent", own("user-agent")],
  ["Accept", "*/*"],
  ["Accept-Encoding", own("accept-encoding")],
  ["Accept-Language", own("accept-language")],
];

/**
 * Every header Deputy adds, in the order and the case the browser sends it; Chrome's rows are as Chromium 156 sent
 * them to a local server, Safari's as the transport's profile orders them.
 */
export const bundles = {
  chrome: {
    browser: [
      ["Connection", keepAlive],
      ["Cache-Control", place],
      ...clientHints,
      ["Origin", origin],
      ["Content-Type", place],
      ["Upgrade-Insecure-Requests", "1"],
      ["User-Agent", own("user-agent")],
      ["Accept", own("accept")],
      ["Sec-Fetch-Site", site],
      ["Sec-Fetch-Mode", "navigate"],
      ["Sec-Fetch-User", "?1"],
      ["Sec-Fetch-Dest", "document"],
      ["Referer", referer],
      ["Accept-Encoding", own("accept-encoding")],
      ["Accept-Language", own("accept-language")],
      ["Cookie", place],
      ["Priority", priority("u=0, i")],
    ],
    fetch: [
      ["Connection", keepAlive],
      ["sec-ch-ua-platform", own("sec-ch-ua-platform")],
      ["User-Agent", own("user-agent")],
      ["sec-ch-ua", own("sec-ch-ua")],
      ["Content-Type", place],
      ["sec-ch-ua-mobile", own("sec-ch-ua-mobile")],
      ["Accept", "*/*"],
      ["Origin", origin],
      ["Sec-Fetch-Site", site],
      ["Sec-Fetch-Mode", "cors"],
      ["Sec-Fetch-Dest", "empty"],
      ["Referer", referer],
      ["Accept-Encoding", own("accept-encoding")],
      ["Accept-Language", own("accept-language")],
      ["Cookie", place],
      ["Priority", priority("u=1, i")],
    ],
  },
  safari: {
    browser: [
      ["Sec-Fetch-Dest", "document"],
      ["User-Agent", own("user-agent")],
      ["Accept", own("accept")],
      ["Origin", origin],
      ["Content-Type", place],
      ["Referer", referer],
      ["Sec-Fetch-Site", site],
      ["Sec-Fetch-Mode", "navigate"],
      ["Cookie", place],
      ["Accept-Language", own("accept-language")],
      ["Priority", priority("u=0, i")],
      ["Accept-Encoding", own("accept-encoding")],
      ["Connection", keepAlive],
    ],
    fetch: [
      ["Sec-Fetch-Dest", "empty"],
      ["User-Agent", own("user-agent")],
      ["Accept", "*/*"],
      ["Origin", origin],
      ["Content-Type", place],
      ["Referer", referer],
      ["Sec-Fetch-Site", site],
      ["Sec-Fetch-Mode", "cors"],
      ["Cookie", place],
      ["Accept-Language", own("accept-language")],
      ["Priority", priority("u=3, i")],
      ["Accept-Encoding", own("accept-encoding")],
      ["Connection", keepAlive],
    ],
  },
  /** What `headers()` adds, knob by knob. */
  knobs: {
    standard,
    clientHints,
    fetch: [
      ["Sec-Fetch-Site", "same-origin"],
      ["Sec-Fetch-Mode", "cors"],
      ["Sec-Fetch-Dest", "empty"],
    ],
    navigate: [
      ["Cache-Control", "max-age=0"],
      ["Device-Memory", "8"],
      ["Downlink", "10"],
      ["DPR", "2"],
      ["ECT", "4g"],
      ["RTT", "50"],
      ["Viewport-Width", "1440"],
      ["Upgrade-Insecure-Requests", "1"],
      ["Sec-Fetch-Site", "none"],
      ["Sec-Fetch-Mode", "navigate"],
      ["Sec-Fetch-User", "?1"],
      ["Sec-Fetch-Dest", "document"],
    ],
  },
} as const satisfies Record<string, Record<string, readonly Row[]>>;

/** The rows filled in; a caller's header takes the row's place, and the caller's others come first, as scripts' do. */
export function dress(rows: readonly Row[], scene: Scene, given: readonly HeaderPair[] = []): HeaderPair[] {
  const known = new Set(rows.map(([name]) => name.toLowerCase()));
  const dressed = given.filter(([name]) => !known.has(name.toLowerCase()));
  for (const [name, value] of rows) {
    const wanted = given.filter(([other]) => other.toLowerCase() === name.toLowerCase());
    const filled = typeof value === "string" ? value : value(scene);
    if (wanted.length > 0) dressed.push(...wanted);
    else if (filled !== undefined) dressed.push([name, filled]);
  }
  return dressed;
}
