import type { Caller } from "../kernel/index.ts";
import { isReservedName } from "./agents/agent-name.ts";
import { lacks } from "./allowance.ts";
import { type Grant, type GrantIdentity, isBuiltIn, type Pin } from "./grant.ts";
import type { Denied, GrantRequest, Needs } from "./grant-request.ts";
import { agentName, identityName } from "./words.ts";

type Judgement = { readonly kind: "granted"; readonly grant: Grant } | Denied;

/** One requirement: which of the grants meet it, and what to say when none does. */
interface Hurdle {
  readonly takes: (grant: Grant) => boolean;
  readonly otherwise: (left: readonly Grant[]) => string;
  readonly changedCode?: true;
}

/**
 * Whether one of the grants covers the request, all of it: two grants are never added up, since what is harmless
 * apart (a login; the open network) may not be together. Changes nothing.
 */
export function judge(grants: readonly Grant[], request: GrantRequest, now: number): Judgement {
  const { subject, identity, pin } = request;
  const who = request.caller.kind === "owner" ? "you" : request.caller.agent;
  const refusal = neverGranted(request);
  if (refusal !== undefined) return { kind: "denied", reason: refusal, missing: null };
  const otherLogin = () => `The grants for ${subject} do not let ${who} use it${asWhom(request)}.`;
  const hurdles: Hurdle[] = [
    {
      takes: (grant) => grant.subject === subject && coversCaller(grant, request.caller),
      otherwise: () => `No grant lets ${who} use ${subject}${asWhom(request)}.`,
    },
    {
      takes: (grant) => mightCoverIdentity(grant.identity, identity),
      otherwise: otherLogin,
    },
    {
      takes: (grant) => grant.expires === null || grant.expires > now,
      otherwise: (left) => `The grant for ${subject} ended ${lastEnd(left)}.`,
    },
    {
      takes: (grant) => samePin(grant.pin, pin),
      otherwise: () => `The code of ${subject} is not the code that was allowed.`,
      changedCode: true,
    },
    {
      takes: (grant) => grant.operations === null || grant.operations.includes(request.operation),
      otherwise: () => `The grant for ${subject} does not cover its operation ${request.operation}.`,
    },
    {
      // After what does not depend on the account: before a run knows its own, that is what it is told.
      takes: (grant) => coversIdentity(grant.identity, identity),
      otherwise: otherLogin,
    },
    {
      takes: (grant) => request.effect === "read" || !grant.readOnly,
      otherwise: () => `The grant for ${subject} is read-only, and ${request.operation} changes something.`,
    },
    {
      takes: (grant) => lacks(grant, request.needs).length === 0,
      otherwise: (left) => `The grant for ${subject} does not let it ${fewestLacks(left, request.needs)}.`,
    },
  ];
  let left = grants;
  for (const { takes, otherwise, changedCode = false } of hurdles) {
    const over = left.filter(takes);
    if (over.length === 0) return denied(request, otherwise(left), changedCode);
    left = over;
  }
  const grant = left.toSorted((a, b) => breadth(a) - breadth(b))[0];
  if (grant === undefined) throw new TypeError("A grant passed every hurdle and is not there");
  return { kind: "granted", grant };
}

/** The owner uses the built-ins freely; a skill without a login and without needs can reach nothing of the owner's. */
export function needsNoGrant(request: GrantRequest): boolean {
  if (neverGranted(request) !== undefined) return false;
  if (isBuiltIn(request.subject)) return request.caller.kind === "owner";
  return request.identity === null && lacks({ expose: false, allow: [] }, request.needs).length === 0;
}

/** An agent that calls itself `owner` is not the owner: the acceptor says who is. */
export function coversCaller(grant: Pick<Grant, "agent">, caller: Caller): boolean {
  if (caller.kind === "agent" && isReservedName(caller.agent)) return false;
  return grant.agent === "*" || grant.agent === agentName(caller);
}

export function samePin(a: Pin, b: Pin): boolean {
  if (a === null || b === null || typeof a === "string" || typeof b === "string") return a === b;
  return a.path === b.path;
}

/** An account that is not known yet may turn out to be the one. */
function mightCoverIdentity(granted: GrantIdentity | null, wanted: GrantRequest["identity"]): boolean {
  return granted?.domain === wanted?.domain && (wanted?.account === null || coversIdentity(granted, wanted));
}

/** An account that is not known is covered only by a grant that names none: it may turn out to be another. */
function coversIdentity(granted: GrantIdentity | null, wanted: GrantRequest["identity"]): boolean {
  if (granted === null || wanted === null) return granted === wanted;
  return granted.domain === wanted.domain && (granted.account === null || granted.account === wanted.account);
}

function neverGranted({ subject, pin, caller, identity, needs }: GrantRequest): string | undefined {
  if (caller.kind === "agent" && isReservedName(caller.agent)) return "An agent needs a name of its own.";
  if (subject.startsWith("@") && !isBuiltIn(subject)) return `There is no built-in ${subject}.`;
  if (isBuiltIn(subject) !== (pin === null)) return `It is not known which code ${subject} is.`;
  if (typeof pin === "object" && pin !== null && caller.kind !== "owner")
    return `${subject} is under development, and runs for the owner only.`;
  if (identity !== null && needs.anyHost === true)
    return `${subject} may not reach any host while it holds a login.`;
  return undefined;
}

/** The narrowest first, so that a grant that is still to find its account is not spent where another covers. */
function breadth({ identity }: Grant): number {
  if (identity === null || identity.account !== null) return 0;
  return identity.pending ? 2 : 1;
}

function denied(request: GrantRequest, reason: string, changedCode: boolean): Denied {
  const { subject, pin, identity, needs } = request;
  const agent = agentName(request.caller);
  return { kind: "denied", reason, missing: { agent, subject, pin, identity, needs, changedCode } };
}

function asWhom({ identity }: GrantRequest): string {
  return identity === null ? "" : ` as ${identityName(identity)}`;
}

function lastEnd(grants: readonly Grant[]): string {
  const end = Math.max(...grants.map((grant) => grant.expires ?? 0));
  return `on ${new Date(end).toISOString().slice(0, 16).replace("T", " at ")} UTC`;
}

function fewestLacks(grants: readonly Grant[], needs: Needs): string {
  const [fewest = []] = grants.map((grant) => lacks(grant, needs)).toSorted((a, b) => a.length - b.length);
  return fewest.join(" or ");
}
