/** What of the owner's logins may go where. */
interface PolicyRules {
  /** `blocklist`: everything but what is blocked. `allowlist`: nothing but what is allowed. */
  readonly mode: "blocklist" | "allowlist";
  readonly allow: readonly string[];
  readonly block: readonly string[];
}

export interface PolicyDocument extends PolicyRules {
  /** Stricter rules for one peer: both must allow. */
  readonly peers: Readonly<Record<string, PolicyRules>>;
}

type PolicyVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface Policy {
  allows(
    what: { readonly domain: string },
    to: { readonly kind: "surface" | "peer"; readonly name: string },
  ): PolicyVerdict;
}

/** Whether a host falls under a pattern, at label boundaries. */
export type HostMatch = (pattern: string, host: string) => boolean;

export const NO_POLICY: PolicyDocument = { mode: "blocklist", allow: [], block: [], peers: {} };

/** Of all patterns that match, the longest decides; where one is as long as the other, the one that blocks. */
export function createPolicy(document: PolicyDocument, matches: HostMatch): Policy {
  return {
    allows({ domain }, to) {
      const general = judge(document, domain, matches);
      const own =
        to.kind === "peer" && Object.hasOwn(document.peers, to.name) ? document.peers[to.name] : undefined;
      return general.ok && own !== undefined ? judge(own, domain, matches) : general;
    },
  };
}

/** A policy that cannot be read: nothing moves. */
export function closedPolicy(why: string): Policy {
  return { allows: () => ({ ok: false, reason: `nothing moves while the policy cannot be read: ${why}` }) };
}

function judge({ mode, allow, block }: PolicyRules, host: string, matches: HostMatch): PolicyVerdict {
  const longest = (patterns: readonly string[]) =>
    patterns
      .filter((pattern) => matches(pattern, host))
      .reduce<string | undefined>((best, one) => (one.length > (best?.length ?? -1) ? one : best), undefined);
  const [allowed, blocked] = [longest(allow), longest(block)];
  if (blocked !== undefined && blocked.length >= (allowed?.length ?? -1))
    return { ok: false, reason: `the policy blocks ${blocked}` };
  if (allowed === undefined && mode === "allowlist")
    return { ok: false, reason: "the policy allows only what is listed, and this is not" };
  return { ok: true };
}
