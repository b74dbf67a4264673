import type { Decision, GrantRequest, Grants } from "../../access/index.ts";

/**
 * Who may, where nothing is lent and nothing is sent: the stand-in may be used by whoever asks. Programs and files of
 * this machine are as real as ever, and need the owner's word.
 */
export function replayGrants(real: () => Promise<Grants>): () => Promise<Grants> {
  return async () => {
    const grants = await real().catch(() => undefined);
    return {
      list: () => grants?.list() ?? [],
      covers: (request) => !isLocal(request) || decideLocal(grants, request).kind === "granted",
      mightCover: () => true,
      decide: (request) => (isLocal(request) ? decideLocal(grants, request) : { kind: "granted", id: null }),
      add: () => {
        throw new TypeError("A replay grants nothing");
      },
      remove: () => {
        throw new TypeError("A replay takes no grant away");
      },
    };
  };
}

function isLocal({ needs: { binaries = [], paths = [], network = false } }: GrantRequest): boolean {
  return binaries.length > 0 || paths.length > 0 || network;
}

/** By any grant the skill has: the stand-in is no account one could be for. */
function decideLocal(grants: Grants | undefined, request: GrantRequest): Decision {
  const { binaries = [], paths = [], network = false } = request.needs;
  const needs = { binaries, paths, ...(network ? { network } : {}) };
  const own = (grants?.list() ?? []).filter(({ subject }) => subject === request.subject);
  const [identity = null] = own.filter(({ allow }) => allow.length > 0).map((grant) => grant.identity);
  const decided = grants?.decide({ ...request, needs, identity });
  return decided ?? { kind: "denied", reason: "There is no vault, and so no grant.", missing: null };
}
