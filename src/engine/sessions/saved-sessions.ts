import { z } from "zod";
import { type Cookie, parseCookie } from "../../cookies/index.ts";
import { type Clock, DeputyError, Secret } from "../../kernel/index.ts";
import { type OriginStorage, originStorage, type SessionSource, sourceLabel } from "../../sessions/index.ts";
import type { Vault } from "../../vault/index.ts";
import { internalKey } from "../vault/internal-rows.ts";
import type { SavedRow } from "./session-methods.ts";

interface SavedState {
  readonly agent: string;
  /** What it was cloned from at first: who may not use that may not use this. */
  readonly source: SessionSource;
  readonly at: number;
  readonly cookies: readonly Cookie[];
  readonly origins: readonly OriginStorage[];
}

const identity = z.object({ domain: z.string(), identifier: z.string() });
const source: z.ZodType<SessionSource> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("identity"), identity }),
  z.object({ kind: z.literal("profile"), browser: z.string(), profile: z.string() }),
  z.object({ kind: z.literal("saved"), name: z.string(), identity: identity.nullable().default(null) }),
  z.object({ kind: z.literal("blank") }),
]);
const state = z.object({
  agent: z.string(),
  source,
  at: z.number(),
  cookies: z.array(z.unknown()),
  origins: z.array(originStorage),
});
const index = z.object({ names: z.array(z.string()) });

const INDEX = internalKey("saved sessions");
const keyOf = (name: string) => internalKey(`saved session ${name}`);

/** States of sessions, each sealed in a row of its own under a name. */
export function createSavedSessions(vault: Vault, clock: Clock) {
  function names(): string[] {
    const row = vault.find(INDEX);
    if (row === undefined) return [];
    using value = row.value;
    return index.parse(JSON.parse(value.reveal())).names;
  }

  function writeNames(all: readonly string[]): void {
    using value = Secret.fromText(JSON.stringify({ names: all }));
    vault.put(INDEX, value, { source: "deputy", masked: `${all.length} saved sessions` });
  }

  function find(name: string): SavedState | undefined {
    const row = vault.find(keyOf(name));
    if (row === undefined) return undefined;
    using value = row.value;
    const read = state.parse(JSON.parse(value.reveal()));
    return { ...read, cookies: read.cookies.map((one) => parseCookie(one, { now: clock.now() })) };
  }

  return {
    find,
    list: (): SavedRow[] =>
      names().flatMap((name) => {
        const found = find(name);
        return found === undefined ? [] : [rowOf(name, found)];
      }),
    save(name: string, saved: SavedState): SavedRow {
      const before = find(name);
      if (before !== undefined && before.agent !== saved.agent)
        throw new DeputyError("CONFLICT", `${name} is saved already, by ${before.agent}`, {
          hint: "Choose another name.",
        });
      using value = Secret.fromText(JSON.stringify(saved));
      vault.put(keyOf(name), value, { source: "deputy", masked: `${saved.cookies.length} cookies` });
      if (before === undefined) writeNames([...names(), name].toSorted());
      return rowOf(name, saved);
    },
    forget(name: string): void {
      vault.remove(keyOf(name));
      writeNames(names().filter((one) => one !== name));
    },
  };
}

function rowOf(name: string, { agent, source: from, at, cookies, origins }: SavedState): SavedRow {
  const saved_at = new Date(at).toISOString();
  return {
    name,
    agent,
    source: sourceLabel(from),
    cookies: cookies.length,
    origins: origins.length,
    saved_at,
  };
}
