/** Grants and requests that fit one another, to be bent by tests; a store that is a real one, in memory. */
import type { Grant, GrantIdentity, GrantRequest, GrantStore, NewGrant } from "../../src/access/index.ts";
import type { Caller } from "../../src/kernel/index.ts";

export const NOW = Date.UTC(2030, 0, 15);

export const OWNER: Caller = { kind: "owner", agent: "owner", instance: "instance_1", via: "cli" };

export function agent(name: string): Caller {
  return { kind: "agent", agent: name, instance: "instance_2", via: "mcp" };
}

export const JOE: GrantIdentity = { domain: "exa.ai", account: "joe", pending: false };
export const FIRST: GrantIdentity = { domain: "exa.ai", account: null, pending: true };
export const EVERY: GrantIdentity = { domain: "exa.ai", account: null, pending: false };

export function newGrant(over: Partial<NewGrant> = {}): NewGrant {
  return {
    agent: "owner",
    subject: "exa",
    pin: "sha256-a",
    identity: JOE,
    operations: null,
    readOnly: false,
    expires: null,
    expose: false,
    allow: [],
    ...over,
  };
}

export function grant(over: Partial<Grant> = {}): Grant {
  return { ...newGrant(), id: "grant_1", createdAt: NOW, ...over };
}

export function request(over: Partial<GrantRequest> = {}): GrantRequest {
  return {
    caller: OWNER,
    subject: "exa",
    pin: "sha256-a",
    identity: { domain: "exa.ai", account: "joe" },
    operation: "search",
    effect: "read",
    needs: {},
    ...over,
  };
}

export function memoryStore(initial: readonly Grant[] = []): GrantStore {
  let version = 1;
  let grants = initial;
  return {
    read: () => ({ version, grants }),
    write(after, expectedVersion) {
      if (expectedVersion !== version) return false;
      version += 1;
      grants = after;
      return true;
    },
  };
}
