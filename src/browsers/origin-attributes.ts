import type { PartitionKey } from "../cookies/index.ts";

/** What Firefox keeps cookies apart by, beyond their host. */
export interface OriginAttributes {
  /** 0 is the default container. */
  readonly container: number;
  readonly isPrivate: boolean;
  /** `(https,example.com)`, with a port where one counts and `f` below a foreign frame. Empty: unpartitioned. */
  readonly partitionKey: string;
  /** The older first-party isolation: the bare domain of the top level. */
  readonly firstPartyDomain: string;
}

/** The column `originAttributes`, such as `^userContextId=2&partitionKey=%28https%2Cexample.com%29`. */
export function parseOriginAttributes(suffix: string): OriginAttributes {
  return originAttributes(Object.fromEntries(new URLSearchParams(suffix.replace(/^\^/, ""))));
}

/** The same as an object, with the names of caps/OriginAttributes.h. */
export function originAttributes(fields: Readonly<Record<string, unknown>>): OriginAttributes {
  const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  return {
    container: Number(fields["userContextId"] ?? 0),
    isPrivate: Number(fields["privateBrowsingId"] ?? 0) !== 0,
    partitionKey: text("partitionKey"),
    firstPartyDomain: text("firstPartyDomain"),
  };
}

/** In Chromium's terms: a cookie of another site than the top level's has a cross-site frame above it. */
export function partitionOf(attributes: OriginAttributes, domain: string): PartitionKey | null {
  const written =
    attributes.partitionKey || (attributes.firstPartyDomain && `(https,${attributes.firstPartyDomain})`);
  if (written === "") return null;
  const [scheme = "", host = "", ...rest] = written.replace(/^\(|\)$/g, "").split(",");
  // A key of another form is kept as it is: still apart from all others.
  if (host === "") return { topLevelSite: written, crossSiteAncestor: true };
  const port = rest.find((part) => /^\d+$/.test(part));
  const sameSite = domain === host || domain.endsWith(`.${host}`);
  return {
    topLevelSite: `${scheme}://${host}${port === undefined ? "" : `:${port}`}`,
    crossSiteAncestor: rest.includes("f") || !sameSite,
  };
}
