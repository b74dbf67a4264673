import { type Caller, DeputyError } from "../kernel/index.ts";
import { isAddress } from "./is-address.ts";
import type { Methods } from "./methods.ts";

/**
 * Who may call a method. `anyone`: it shows no secret, lends no login and changes nothing of the owner's. `granted`: an
 * agent may where a grant covers it, which the call itself asks about. `owner`: nobody but the owner, at a terminal.
 */
type Who = "anyone" | "granted" | "owner";
type Rule<K extends keyof Methods> = Who | ((input: Methods[K]["in"]) => Who);

/** Every method: one that is not here does not compile. */
export const PERMISSIONS: { readonly [K in keyof Methods]: Rule<K> } = {
  "engine.status": "anyone",
  // The command of another version must be able to replace the engine; who could not ask would end the process.
  "engine.stop": "anyone",
  status: "anyone",
  doctor: "anyone",
  setup: "owner",
  // Where the owner has logins is nobody else's to know.
  "setup.logins": "owner",
  browsers: "anyone",
  // A profile that is named is not asked whose it is, and no grant is for a profile.
  cookies: ({ browser, profile }) => ((browser ?? profile) === undefined ? "granted" : "owner"),
  curl: (input) => unlessAddress(input, "granted"),
  run: (input) => unlessAddress(input, "granted"),
  "capabilities.list": "anyone",
  "capabilities.call": (input) => unlessAddress(input, "granted"),
  "browse.auth": (input) => unlessAddress(input, "anyone"),
  "browse.cookies": "owner",
  "browse.request": "owner",
  // In a browser of the owner's there are all logins; what is revealed is for nobody else.
  "browse.capture": ({ cdp, reveal }) => (cdp === undefined && reveal !== true ? "granted" : "owner"),
  "login.plan": "anyone",
  "login.key": "owner",
  // Agents may open the page for a person to log in on; as which client, and what came of it, is for the person to say.
  "login.oauth": ({ client }) => (client === undefined ? "anyone" : "owner"),
  "login.paste": "owner",
  "login.cookies": ({ provider }) => (provider === undefined ? "anyone" : "owner"),
  // An agent sees what it may use.
  "grants.list": "anyone",
  "grants.add": "owner",
  "grants.remove": "owner",
  // An agent sees what it did itself.
  "log.read": "anyone",
  "log.follow": "anyone",
  "log.restart": "owner",
  "agents.list": "owner",
  "skills.list": "anyone",
  "skills.follow": "anyone",
  "skills.show": "anyone",
  // Folders outside the library are the owner's to look into: the call knows which they are.
  "skills.validate": "anyone",
  "skills.test": ({ mode, cassette }) => (mode === "record" || cassette !== undefined ? "owner" : "granted"),
  "skills.new": "owner",
  "skills.add": "owner",
  "skills.remove": "owner",
  "skills.clear": "owner",
  // What agents write is told apart from what the owner does, and can be taken back; nothing is deleted for good.
  "graph.search": "anyone",
  "graph.list": "anyone",
  "graph.get": "anyone",
  "graph.create": "anyone",
  "graph.update": "anyone",
  "graph.delete": "anyone",
  "graph.restore": "anyone",
  "graph.history": "anyone",
  "graph.at": "anyone",
  "graph.counts": "anyone",
  // Files of the caller's choosing are read and written with the owner's rights.
  "graph.export": "owner",
  "graph.import": "owner",
  // Where the owner's logins go, and from where they come, is for the owner alone to say.
  "sync.pair": "owner",
  "sync.push": "owner",
  "sync.sink": "owner",
  "peers.list": "anyone",
  "peers.remove": "owner",
  // No grant is for a profile; what a session deletes or stores as new in the vault is the owner's to say.
  "session.open": ({ profile, adopt, deletions, expose }) =>
    (profile ?? adopt) === undefined && deletions !== true && expose !== true ? "granted" : "owner",
  "session.tab": "granted",
  // An agent sees, and ends, its own.
  "session.list": "anyone",
  "session.dispose": "anyone",
  "session.endpoint": "granted",
  "session.view": "granted",
  "session.act": "granted",
  "session.save": "granted",
  "session.saved": "anyone",
  "session.forget": "anyone",
  // Values leave the vault.
  deliver: "owner",
  "deliver.watch": "owner",
  "policy.show": "anyone",
  "policy.set": "owner",
  "vault.list": "anyone",
  "vault.set": "owner",
  "vault.remove": "owner",
  "vault.rename": "owner",
  "vault.rotate": "owner",
  "vault.rekey": "owner",
  "vault.verify": ({ accept, remove_damaged }) =>
    accept === true || remove_damaged === true ? "owner" : "anyone",
  "vault.unlock": "owner",
  "vault.export": "owner",
  "vault.import": "owner",
};

/** Who may make this very call. */
export function whoMay<K extends keyof Methods>(method: K, input: Methods[K]["in"]): Who {
  const rule: Rule<K> = PERMISSIONS[method];
  return typeof rule === "function" ? rule(input) : rule;
}

/** Throws DENIED where only the owner may. */
export function requirePermitted<K extends keyof Methods>(
  method: K,
  input: Methods[K]["in"],
  caller: Caller,
): void {
  if (whoMay(method, input) !== "owner") return;
  const command = /^(login|setup)\./.exec(method)?.[1] ?? method.replace(".", " ");
  const way = typeof PERMISSIONS[method] === "function" ? " this way" : "";
  requireOwner(caller, `may use deputy ${command}${way}`);
}

/** What an agent could do to what the owner keeps and allows would not be the owner's doing. */
export function requireOwner(caller: Caller, may: string): void {
  if (isOwner(caller)) return;
  const who = caller.kind === "agent" ? `, and ${caller.agent} is calling` : "";
  throw new DeputyError("DENIED", `Only the owner ${may}${who}`, {
    hint: "Run it in a terminal of your own, outside of any agent.",
  });
}

export function isOwner(caller: Caller): boolean {
  return caller.kind === "owner" && caller.via === "cli";
}

/** A browser at an address of the caller's choosing could put another login in the place of the owner's. */
function unlessAddress(input: { readonly provider?: string }, who: Who): Who {
  return input.provider !== undefined && isAddress(input.provider) ? "owner" : who;
}
