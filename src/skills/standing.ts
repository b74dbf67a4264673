import type { Grants } from "../access/index.ts";
import type { Connection } from "../auth/index.ts";
import type { Caller } from "../kernel/index.ts";
import { BEST_FIRST, type CapabilityProvider, type Standing } from "./capabilities.ts";
import { Permit } from "./run/permit.ts";

interface Parts {
  /** Undefined where there is no vault to hold any. */
  readonly grants: Grants | undefined;
  readonly caller: Caller;
  readonly hasLogin: (domain: string, itemType: string) => boolean;
}

/** Whether a provider could be used by this caller now, by the best of its connections. */
export function standingOf({ skill, operation }: CapabilityProvider, parts: Parts): Standing {
  if (operation.connections.length === 0 || operation.anonymous) return "anonymous";
  const { grants, caller, hasLogin } = parts;
  const permit = grants && new Permit({ grants, caller, skill, operation });
  const standing = ({ auth, domain, optional }: Connection): Standing => {
    if (auth === null) return "anonymous";
    const has = hasLogin(domain, auth.type);
    if (!has && !optional) return "no-login";
    if (permit?.hopesFor(domain) !== true) return "not-granted";
    return has ? "granted" : "anonymous";
  };
  const all = new Set(
    operation.connections.flatMap((name) => skill.connections.get(name) ?? []).map(standing),
  );
  return BEST_FIRST.find((one) => all.has(one)) ?? "no-login";
}
