import { DeputyError } from "../kernel/index.ts";
import type { PartitionKey } from "./cookie.ts";
import { isLoopback, siteOf } from "./host.ts";

/** The ports of the schemes that have cookies; other schemes have none. */
const PORTS: Record<string, number> = { "http:": 80, "https:": 443, "ws:": 80, "wss:": 443 };

/** What a URL means for cookies. */
export interface Origin {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly encrypted: boolean;
  /** Encrypted, or never leaving this machine. */
  readonly secure: boolean;
  /** The partition of a top-level page at this URL. */
  readonly partitionKey: PartitionKey;
}

/** Undefined for a scheme without cookies. Throws where the URL is not absolute: a silent "no cookies" hides the bug. */
export function findOrigin(url: string | URL): Origin | undefined {
  if (!URL.canParse(String(url))) {
    throw new DeputyError("BAD_INPUT", "Cannot read the URL: it is not absolute", {
      hint: "Join a relative URL with its base first, so that it begins with https://",
    });
  }
  const { protocol, hostname, port, pathname } = new URL(url);
  const standard = PORTS[protocol];
  if (standard === undefined) return undefined;
  const encrypted = standard === 443;
  return {
    host: hostname,
    port: port === "" ? standard : Number(port),
    path: pathname,
    encrypted,
    secure: encrypted || isLoopback(hostname),
    partitionKey: {
      topLevelSite: `${encrypted ? "https" : "http"}://${siteOf(hostname)}`,
      crossSiteAncestor: false,
    },
  };
}
