import { type Clock, DeputyError, newId } from "../kernel/index.ts";
import type { DenialLog } from "./denials.ts";
import type { Grant, GrantStore, NewGrant } from "./grant.ts";
import type { Decision, GrantRequest } from "./grant-request.ts";
import { coversCaller, judge, needsNoGrant, samePin } from "./judge.ts";

export interface Grants {
  list(): readonly Grant[];
  /**
   * Whether the run may start. Asked once, when the run is about to: a grant that was given before an account was
   * known holds for this request's account from now on. A denial is recorded.
   */
  decide(request: GrantRequest): Decision;
  /** The same question without consequences: nothing is settled and nothing recorded. */
  covers(request: GrantRequest): boolean;
  /**
   * Whether a grant that counts today could turn out to cover the domain once its account is known: asked before a login
   * is looked for, or code is run to learn whose it is. Without an operation: whether one of them is covered.
   */
  mightCover(
    request: Pick<GrantRequest, "caller" | "subject" | "pin"> & {
      readonly operation?: string;
      readonly domain: string;
    },
  ): boolean;
  /** Takes the place of grants for the same thing, and of those for other code of the same name. */
  add(grant: NewGrant): { readonly grant: Grant; readonly replaced: readonly Grant[] };
  remove(id: string): Grant | undefined;
}

/** More tries than processes that could write at the same moment. */
const TRIES = 100;

export function createGrants(parts: { store: GrantStore; clock: Clock; denials: DenialLog }): Grants {
  const { store, clock, denials } = parts;

  /** Compare and swap: `change` sees what others wrote meanwhile, and decides anew. Undefined keeps what is there. */
  function update<T>(change: (grants: readonly Grant[]) => { result: T; after?: readonly Grant[] }): T {
    for (let tries = 0; tries < TRIES; tries++) {
      const { version, grants } = store.read();
      const { result, after } = change(grants);
      if (after === undefined || store.write(after, version)) return result;
    }
    throw new DeputyError("CONFLICT", "The grants never stood still", {
      hint: "Something changes them without pause. Try again.",
    });
  }

  function decideFrom(grants: readonly Grant[], request: GrantRequest) {
    const judged = judge(grants, request, clock.now());
    if (judged.kind === "denied") return { result: judged };
    const result = { kind: "granted", id: judged.grant.id } as const;
    const after = settleAccount(grants, judged.grant, request.identity?.account ?? null);
    return after === undefined ? { result } : { result, after };
  }

  return {
    list: () => store.read().grants,

    decide(request) {
      if (needsNoGrant(request)) return { kind: "granted", id: null };
      const decision = update<Decision>((grants) => decideFrom(grants, request));
      if (decision.kind === "denied") {
        const { caller, subject, operation, identity } = request;
        const { reason } = decision;
        denials.recordDenial({ at: clock.now(), caller, subject, operation, identity, reason });
      }
      return decision;
    },

    covers: (request) =>
      needsNoGrant(request) || judge(store.read().grants, request, clock.now()).kind === "granted",

    mightCover({ caller, subject, pin, operation, domain }) {
      const now = clock.now();
      return store
        .read()
        .grants.some(
          (grant) =>
            grant.subject === subject &&
            grant.identity?.domain === domain &&
            coversCaller(grant, caller) &&
            samePin(grant.pin, pin) &&
            (grant.expires === null || grant.expires > now) &&
            (grant.operations === null || operation === undefined || grant.operations.includes(operation)),
        );
    },

    add: (given) =>
      update((grants) => {
        const grant = { ...given, id: newId("grant"), createdAt: clock.now() };
        const replaced = grants.filter((old) => isReplacedBy(old, given));
        const after = [...grants.filter((old) => !replaced.includes(old)), grant];
        return { result: { grant, replaced }, after };
      }),

    remove: (id) =>
      update((grants) => {
        const result = grants.find((grant) => grant.id === id);
        if (result === undefined) return { result };
        return { result, after: grants.filter((grant) => grant !== result) };
      }),
  };
}

/**
 * A grant that was given before an account was known becomes the grant of the first account it is used with, in the
 * same write that found it pending: of two runs with two accounts, one gets it and the other is denied. Undefined when
 * there is nothing to settle; a grant the owner gave for every account stays as it is.
 */
function settleAccount(
  grants: readonly Grant[],
  used: Grant,
  account: string | null,
): readonly Grant[] | undefined {
  if (used.identity === null || !used.identity.pending || account === null) return undefined;
  const settled = { ...used, identity: { ...used.identity, account, pending: false } };
  return grants.map((grant) => (grant === used ? settled : grant));
}

/** What the owner said last about the same thing counts. Grants for other code can serve no more. */
function isReplacedBy(old: Grant, given: NewGrant): boolean {
  if (old.agent !== given.agent || old.subject !== given.subject) return false;
  if (identityKey(old) !== identityKey(given)) return false;
  return !samePin(old.pin, given.pin) || operationsKey(old) === operationsKey(given);
}

/** Pending or for every account: either way what was said last about the domain. */
function identityKey({ identity }: Pick<Grant, "identity">): string {
  return JSON.stringify(identity && [identity.domain, identity.account]);
}

function operationsKey({ operations }: Pick<Grant, "operations">): string {
  return JSON.stringify(operations?.toSorted() ?? null);
}
