import { coversCaller, deniedError, type Grants, type Needs, type Pin, samePin } from "../../access/index.ts";
import { isProvisional } from "../../auth/index.ts";
import type { Caller, Identity } from "../../kernel/index.ts";
import type { Operation, Skill } from "../skill.ts";
import type { Need } from "./execution.ts";

interface Parts {
  readonly grants: Grants;
  readonly caller: Caller;
  readonly skill: Skill;
  readonly operation: Operation;
}

/**
 * What the owner allowed one run. Needs add up as the run shows them, because one grant must cover all of a run: what a
 * second grant allows to somebody else's login is no help to this one.
 */
export class Permit {
  readonly #parts: Parts;
  #identity: { domain: string; account: string | null } | null = null;
  #needs: Needs = {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws DENIED where no grant could cover the domain: before a single byte of a login is used. */
  requireAny(domain: string, account: string | undefined): void {
    if (!this.hopesFor(domain)) this.#require({ domain, account: account ?? null });
  }

  /** Whether there is a grant at all that could be meant. */
  hopesFor(domain: string): boolean {
    const { grants, skill, caller } = this.#parts;
    return grants
      .list()
      .some(
        (grant) =>
          grant.subject === skill.id &&
          grant.identity?.domain === domain &&
          coversCaller(grant, caller) &&
          samePin(grant.pin, pinFor(skill, caller)),
      );
  }

  /** The login the run is about to use. A name that only says where it came from is no account yet. */
  requireIdentity(identity: Identity | null): void {
    if (identity === null) return;
    const account = isProvisional(identity) ? null : identity.identifier;
    this.#require({ domain: identity.domain, account });
  }

  require(needs: Needs): void {
    this.#require(this.#identity, needs);
  }

  allows(need: Need): boolean {
    const before = this.#needs;
    const decided = this.#decide(this.#identity, needsOf(need));
    if (decided.kind === "granted") return true;
    this.#needs = before;
    return false;
  }

  /** The code may see the credential itself. */
  exposes(): boolean {
    const { grants, caller, skill } = this.#parts;
    if (this.#identity === null) return false;
    const hope = grants.list().some((grant) => grant.subject === skill.id && grant.expose);
    if (!hope) return false;
    const decision = grants.decide({
      ...this.#request(this.#identity),
      caller,
      needs: { ...this.#needs, expose: true },
    });
    return decision.kind === "granted";
  }

  #require(identity: { domain: string; account: string | null } | null, needs: Needs = {}): void {
    const decision = this.#decide(identity, needs);
    if (decision.kind === "denied") throw deniedError(decision, this.#hosts(identity));
    this.#identity = identity;
  }

  /** Where a login of this domain could go: what the owner says yes to. */
  #hosts(identity: { domain: string } | null): string[] {
    const there = [...this.#parts.skill.connections.values()].filter(
      ({ domain }) => domain === identity?.domain,
    );
    const listed = there.flatMap(({ baseUrl, hosts }) => [
      ...(baseUrl === null ? [] : [baseUrl.host]),
      ...(hosts === "any" ? [] : hosts),
    ]);
    const wide = there.some(({ auth }) => auth?.type === "cookies") && identity !== null;
    return [...new Set([...listed, ...(wide ? [`*.${identity.domain}`] : [])])];
  }

  #decide(identity: { domain: string; account: string | null } | null, needs: Needs) {
    this.#needs = joined(this.#needs, needs);
    return this.#parts.grants.decide({ ...this.#request(identity), needs: this.#needs });
  }

  #request(identity: { domain: string; account: string | null } | null) {
    const { caller, skill, operation } = this.#parts;
    return {
      caller,
      subject: skill.id,
      pin: pinFor(skill, caller),
      identity,
      operation: operation.name,
      effect: operation.effect,
    };
  }
}

/** Code under development is pinned by its folder, for the owner's own runs. */
export function pinFor(skill: Skill, caller: Caller): Pin {
  return skill.dev && caller.kind === "owner" ? { path: skill.folder } : skill.pin;
}

function needsOf(need: Need): Needs {
  switch (need.kind) {
    case "binary":
      return { binaries: [need.name] };
    case "read":
    case "write":
      return { paths: [need.path] };
    case "network":
      return { binaries: [need.binary], network: true };
  }
}

function joined(a: Needs, b: Needs): Needs {
  const both = (one: readonly string[] = [], other: readonly string[] = []) => [
    ...new Set([...one, ...other]),
  ];
  return {
    ...(a.expose === true || b.expose === true ? { expose: true } : {}),
    ...(a.network === true || b.network === true ? { network: true } : {}),
    ...(a.anyHost === true || b.anyHost === true ? { anyHost: true } : {}),
    binaries: both(a.binaries, b.binaries),
    paths: both(a.paths, b.paths),
  };
}
