import type { Caller } from "../kernel/index.ts";

export function agentName(caller: Caller): string {
  return caller.kind === "owner" ? "owner" : caller.agent;
}

export function identityName(identity: { domain: string; account: string | null }): string {
  return identity.account === null
    ? `an account at ${identity.domain}`
    : `${identity.account} at ${identity.domain}`;
}
