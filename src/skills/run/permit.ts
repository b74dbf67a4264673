import { type Denied, deniedError, type Grants, type Needs, type Pin } from "../../access/index.ts";
import { isProvisional } from "../../auth/index.ts";
import { type Caller, DeputyError, type Identity } from "../../kernel/index.ts";
import { loginHosts } from "../login-hosts.ts";
import type { Operation, Skill } from "../skill.ts";
import type { Need } from "./execution.ts";

interface Parts {
  readonly grants: Grants;
  readonly caller: Caller;
  readonly skill: Skill;
  readonly operation: Operation;
  /** Where the login is for that the operation supplies: the grant is for that domain. */
  readonly supplies?: string | undefined;
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
    if (parts.supplies !== undefined) this.#identity = { domain: parts.supplies, account: null };
  }

  /** Throws DENIED where no grant could cover the domain: before a single byte of a login is used. */
  requireAny(domain: string, account: string | undefined): void {
    if (!this.hopesFor(domain)) this.#require({ domain, account: account ?? null });
  }

  /** Whether there is a grant today that could be meant, whatever the account turns out to be. */
  hopesFor(domain: string): boolean {
    const { grants, operation } = this.#parts;
    return grants.mightCover({ ...this.#subject(), operation: operation.name, domain });
  }

  /** Whether there is one for any of the skill's operations: a check of whose login it is belongs to all of them. */
  hopesForSkill(domain: string): boolean {
    return this.#parts.grants.mightCover({ ...this.#subject(), domain });
  }

  /** The login the run is about to use. A name that only says where it came from is no account yet. */
  requireIdentity(identity: Identity | null): void {
    if (identity === null) return;
    this.#require(asGranted(identity));
  }

  /** A login the run has obtained and wants kept. What the run itself may do stays as it was. */
  requireKeeping(identity: Identity): void {
    const wanted = asGranted(identity);
    const decision = this.#parts.grants.decide({ ...this.#request(wanted), needs: {} });
    if (decision.kind === "denied") throw this.#denied(decision, wanted.domain);
  }

  require(needs: Needs): void {
    this.#require(this.#identity, needs);
  }

  allows(need: Need): boolean {
    const needs = joined(this.#needs, needsOf(need));
    if (!this.#parts.grants.covers({ ...this.#request(this.#identity), needs })) return false;
    this.#needs = needs;
    return true;
  }

  /** Why a need is refused, with what would allow it. */
  denial(need: Need): DeputyError {
    return this.#denialOf(needsOf(need));
  }

  /** What would let the code see the credential itself. */
  exposeDenial(): DeputyError {
    return this.#denialOf({ expose: true });
  }

  /** The code may see the credential itself. */
  exposes(): boolean {
    if (this.#identity === null) return false;
    const needs = { ...this.#needs, expose: true };
    return this.#parts.grants.covers({ ...this.#request(this.#identity), needs });
  }

  #denialOf(needs: Needs): DeputyError {
    try {
      this.#require(this.#identity, needs);
    } catch (error) {
      if (error instanceof DeputyError) return error;
      throw error;
    }
    return new DeputyError("DENIED", "It was not allowed, and is now", { hint: "Try again." });
  }

  #require(identity: { domain: string; account: string | null } | null, needs: Needs = {}): void {
    const decision = this.#decide(identity, needs);
    if (decision.kind === "denied") throw this.#denied(decision, identity?.domain);
    this.#identity = identity;
  }

  /** With where the login could go: that is what the owner says yes to. */
  #denied(decision: Denied, domain = ""): DeputyError {
    return deniedError(decision, loginHosts(this.#parts.skill, domain));
  }

  #decide(identity: { domain: string; account: string | null } | null, needs: Needs) {
    this.#needs = joined(this.#needs, needs);
    return this.#parts.grants.decide({ ...this.#request(identity), needs: this.#needs });
  }

  #request(identity: { domain: string; account: string | null } | null) {
    const { name, effect } = this.#parts.operation;
    return { ...this.#subject(), identity, operation: name, effect };
  }

  #subject() {
    const { caller, skill } = this.#parts;
    return { caller, subject: skill.id, pin: pinFor(skill, caller) };
  }
}

/** Code under development is pinned by its folder, for the owner's own runs. */
export function pinFor(skill: Skill, caller: Caller): Pin {
  return skill.dev && caller.kind === "owner" ? { path: skill.folder } : skill.pin;
}

function asGranted(identity: Identity): { domain: string; account: string | null } {
  return { domain: identity.domain, account: isProvisional(identity) ? null : identity.identifier };
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
