import { createLoginStore, type Lender } from "../../auth/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import { type Clock, DeputyError, type Identity } from "../../kernel/index.ts";
import type { ProfileStorage, SessionSeed, SessionSource } from "../../sessions/index.ts";
import { foldDomain } from "../../vault/index.ts";
import type { BuiltInPermit } from "../grants/built-in-permit.ts";
import { createSavedSessions } from "./saved-sessions.ts";
import type { SessionFrom } from "./session-methods.ts";
import { cookieBorrow, type IdentifyBy } from "../logins/site-borrow.ts";
import type { SkillsAt } from "../logins/skills-at.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly browsers: Browsers;
  readonly skillsAt: SkillsAt;
  readonly lender: () => Promise<Lender>;
  readonly identifyBy: IdentifyBy;
  readonly clock: Clock;
  readonly profileStorage: (profile: string) => ProfileStorage;
}

/** A source and how it is read. */
export interface FoundSource {
  readonly source: SessionSource;
  readonly seed: (signal: AbortSignal) => Promise<SessionSeed>;
}

const NO_STORAGE = { origins: [], storageOf: async () => undefined } as const;
const NOTHING: SessionSeed = { ...NO_STORAGE, cookies: [], warnings: [] };

/** What a session is to be cloned from, once the caller was found to be allowed it. */
export async function findSource(
  parts: Parts,
  from: SessionFrom,
  permit: BuiltInPermit,
  mayUseSaved: (by: string) => boolean,
  signal: AbortSignal,
): Promise<FoundSource> {
  const { identity, profile, saved, blank } = from;
  const given = [identity, profile, saved, blank === true ? "" : undefined].filter(
    (one) => one !== undefined,
  );
  if (given.length !== 1) {
    throw new DeputyError("BAD_USAGE", "Say what the session is cloned from, one thing", {
      hint: "--identity github.com/joe, --profile chromium:Default, --from NAME, or --blank",
    });
  }
  if (identity !== undefined) return ofIdentity(parts, identity, permit, signal);
  if (profile !== undefined) return ofProfile(parts, profile);
  if (saved !== undefined) return ofSaved(parts, saved, permit, mayUseSaved);
  return { source: { kind: "blank" }, seed: async () => NOTHING };
}

async function ofIdentity(
  parts: Parts,
  identity: string,
  permit: BuiltInPermit,
  signal: AbortSignal,
): Promise<FoundSource> {
  const [where = "", ...rest] = identity.split("/");
  const account = rest.length === 0 ? undefined : rest.join("/");
  const domain = foldDomain(where);
  permit.requireAny(domain, account);
  const lender = await parts.lender();
  const borrow = await cookieBorrow(parts, lender, { url: `https://${domain}/`, account });
  const { identity: found } = await lender.lend({ ...borrow, signal });
  if (found === null) throw new TypeError("A site's cookies were lent to nobody");
  permit.requireIdentity(found);
  const seed = async () => {
    const store = createLoginStore({ vault: await parts.door.get(), clock: parts.clock });
    return { ...NOTHING, cookies: store.find(found)?.cookies ?? [] };
  };
  return { source: { kind: "identity", identity: found }, seed };
}

async function ofProfile({ browsers, profileStorage }: Parts, named: string): Promise<FoundSource> {
  const at = named.startsWith("/") ? -1 : named.indexOf(":");
  const wanted =
    at === -1 ? { browser: named } : { browser: named.slice(0, at), profile: named.slice(at + 1) };
  const found = browsers.find(named.startsWith("/") ? { profile: named } : wanted);
  const { browser, profile } = found;
  const seed = async (): Promise<SessionSeed> => {
    const { cookies, warnings } = await browsers.read(found);
    const read = { cookies, warnings: warnings.map(({ message }) => message) };
    if (found.family !== "chromium")
      return { ...NOTHING, ...read, warnings: [...read.warnings, `the storage of ${browser} is not cloned`] };
    const storage = profileStorage(found.path);
    const close = () => storage[Symbol.asyncDispose]();
    return { ...read, origins: "any", storageOf: (origin) => storage.read(origin), close };
  };
  return { source: { kind: "profile", browser, profile }, seed };
}

async function ofSaved(
  parts: Parts,
  name: string,
  permit: BuiltInPermit,
  mayUseSaved: (by: string) => boolean,
): Promise<FoundSource> {
  const saved = createSavedSessions(await parts.door.get(), parts.clock);
  const found = saved.find(name);
  if (found === undefined || !mayUseSaved(found.agent))
    throw new DeputyError("NOT_FOUND", `You have saved no session as ${name}`, {
      hint: "See which there are: deputy session list --saved",
    });
  // A login the owner no longer grants does not live on under another name.
  const identity = identityIn(found.source);
  permit.requireIdentity(identity);
  const origins = new Map(found.origins.map((one) => [one.origin, one]));
  const seed = async () => ({
    cookies: found.cookies,
    origins: [...origins.keys()],
    storageOf: async (origin: string) => origins.get(origin),
    warnings: [],
  });
  return { source: { kind: "saved", name, identity }, seed };
}

/** Whose login a session has, however often it was saved and opened again. Null: none of the vault. */
export function identityIn(source: SessionSource): Identity | null {
  return source.kind === "identity" || source.kind === "saved" ? source.identity : null;
}
