import type { LogIdentity } from "../access/index.ts";
import { foldDomain } from "../vault/index.ts";
import type { Methods } from "./methods.ts";

/** What a call is called in the log, and what its answer tells besides. */
interface Logged<K extends keyof Methods> {
  readonly begun: (input: Methods[K]["in"]) => About;
  readonly ended?: (out: Methods[K]["out"], input: Methods[K]["in"]) => Partial<About>;
}

interface About {
  readonly subject: string;
  readonly operation: string;
  readonly identity: LogIdentity | null;
}

/** Which calls leave a row. Whatever is refused to an agent leaves one too, and so does every denial. */
export const LOGGED_CALLS: { readonly [K in keyof Methods]: Logged<K> | "unlogged" } = {
  "engine.status": "unlogged",
  "engine.stop": "unlogged",
  status: "unlogged",
  doctor: "unlogged",
  setup: "unlogged",
  "setup.logins": "unlogged",
  browsers: "unlogged",
  cookies: {
    begun: ({ url, domain, account }) => at("@cookies", "read", url ?? domain, account),
    ended: ({ source }, { url, domain }) =>
      source === null ? {} : { identity: identityAt(url ?? domain, source) },
  },
  curl: {
    begun: ({ url, method, account }) => at("@curl", method, url, account),
    ended: ({ account }, { url }) => ({ identity: identityAt(url, account === "" ? undefined : account) }),
  },
  run: { begun: ({ skill, operation }) => ({ subject: skill, operation, identity: null }) },
  "capabilities.list": "unlogged",
  "capabilities.call": {
    begun: ({ tool, skill = "@use" }) => ({ subject: skill, operation: tool, identity: null }),
    ended: ({ route: { skill, operation } }) => ({ subject: skill, operation }),
  },
  "browse.auth": { begun: ({ target, account }) => at("@browse", "auth", target, account) },
  "browse.cookies": { begun: ({ target, account }) => at("@browse", "cookies", target, account) },
  "browse.request": {
    begun: ({ url, account }) => at("@browse", "request", url, account),
    ended: ({ account }, { url }) => (account === null ? {} : { identity: identityAt(url, account) }),
  },
  "browse.capture": { begun: () => part("@browse", "capture") },
  "session.open": {
    begun: ({ identity, blank }) => {
      const [where, ...account] = identity?.split("/") ?? [];
      return at("@session", blank === true ? "open blank" : "open", where, account.join("/") || undefined);
    },
  },
  "session.tab": { begun: () => part("@session", "tab") },
  "session.list": "unlogged",
  "session.dispose": { begun: () => part("@session", "dispose") },
  "session.endpoint": { begun: () => part("@session", "endpoint") },
  "session.view": { begun: () => part("@session", "view") },
  "session.act": { begun: ({ act }) => part("@session", `act ${act.do}`) },
  "session.save": { begun: () => part("@session", "save") },
  "session.saved": "unlogged",
  "session.forget": { begun: () => part("@session", "forget") },
  deliver: { begun: ({ surface }) => part("@deliver", surface ?? "all") },
  "deliver.watch": { begun: ({ surface }) => part("@deliver", `watch ${surface ?? "all"}`) },
  "policy.show": "unlogged",
  "policy.set": { begun: ({ list }) => part("@policy", list) },
  "sync.pair": { begun: ({ as }) => part("@sync", `pair as ${as}`) },
  "sync.push": { begun: ({ watch }) => part("@sync", watch ? "source, watching" : "source") },
  "sync.sink": { begun: () => part("@sync", "sink") },
  "peers.list": "unlogged",
  "peers.remove": { begun: () => part("@sync", "remove peer") },
  "login.plan": "unlogged",
  "login.key": { begun: ({ target, account }) => at("@login", "key", target, account), ended: identified },
  "login.oauth": {
    begun: ({ target, account }) => at("@login", "oauth", target, account),
    ended: identified,
  },
  "login.paste": "unlogged",
  "login.cookies": {
    begun: ({ target, account }) => at("@login", "cookies", target, account),
    ended: identified,
  },
  "grants.list": "unlogged",
  "grants.add": {
    begun: () => part("@grants", "add"),
    ended: ({ grant: { identity } }) => ({ identity }),
  },
  "grants.remove": {
    begun: () => part("@grants", "remove"),
    ended: ({ removed: { identity } }) => ({ identity }),
  },
  "skills.list": "unlogged",
  "skills.follow": "unlogged",
  "skills.show": "unlogged",
  "skills.validate": "unlogged",
  "skills.test": {
    begun: ({ skill, operation = "test" }) => ({ subject: skill, operation, identity: null }),
  },
  "skills.new": { begun: () => part("@skills", "new") },
  "skills.add": { begun: () => part("@skills", "add") },
  "skills.remove": { begun: () => part("@skills", "remove") },
  "skills.clear": { begun: () => part("@skills", "clear") },
  "vault.list": "unlogged",
  "vault.set": { begun: ({ domain, account }) => at("@vault", "set", domain, account) },
  "vault.remove": { begun: ({ domain, account }) => at("@vault", "remove", domain, account) },
  "vault.rename": { begun: ({ domain, account }) => at("@vault", "rename", domain, account) },
  "vault.rotate": { begun: () => part("@vault", "rotate") },
  "vault.rekey": { begun: () => part("@vault", "rekey") },
  "vault.verify": "unlogged",
  "vault.unlock": "unlogged",
  "vault.export": { begun: () => part("@vault", "export") },
  "vault.import": { begun: () => part("@vault", "import") },
  "graph.search": "unlogged",
  "graph.list": "unlogged",
  "graph.get": "unlogged",
  "graph.history": "unlogged",
  "graph.at": "unlogged",
  "graph.counts": "unlogged",
  "graph.create": { begun: () => part("@graph", "create") },
  "graph.update": { begun: () => part("@graph", "update") },
  "graph.delete": { begun: () => part("@graph", "delete") },
  "graph.restore": { begun: () => part("@graph", "restore") },
  "graph.export": { begun: () => part("@graph", "export") },
  "graph.import": { begun: () => part("@graph", "import") },
  "log.read": "unlogged",
  "log.follow": "unlogged",
  "log.restart": { begun: () => part("@log", "restart") },
  "agents.list": "unlogged",
};

function part(subject: string, operation: string): About {
  return { subject, operation, identity: null };
}

function at(subject: string, operation: string, where: string | undefined, account?: string): About {
  return { subject, operation, identity: identityAt(where, account) };
}

/** Where the name of a place is none, or a skill's, nobody is meant yet. */
function identityAt(where: string | undefined, account: string | undefined): LogIdentity | null {
  if (where === undefined || !/[.:]|^localhost$/.test(where)) return null;
  try {
    return { domain: foldDomain(where), account: account ?? null };
  } catch {
    return null;
  }
}

function identified({ domain, account }: { domain: string; account: string }): Partial<About> {
  return { identity: { domain, account } };
}
