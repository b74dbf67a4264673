import type { Command } from "commander";
import type { Entries } from "./entries.ts";

/** The first words a file of commands answers to, and the way to it: a command loads its own file and no other. */
interface CommandFile {
  readonly words: readonly string[];
  readonly load: () => Promise<(program: Command, entries: Entries) => void>;
}

/** In the order of `deputy --help`. */
const COMMAND_FILES: readonly CommandFile[] = [
  { words: ["setup"], load: async () => (await import("./commands/setup.ts")).addSetup },
  { words: ["status", "doctor"], load: async () => (await import("./commands/status.ts")).addStatus },
  { words: ["engine"], load: async () => (await import("./commands/engine.ts")).addEngine },
  { words: ["vault"], load: async () => (await import("./commands/vault.ts")).addVault },
  { words: ["skills"], load: async () => (await import("./commands/skills.ts")).addSkills },
  { words: ["grants"], load: async () => (await import("./commands/grants.ts")).addGrants },
  { words: ["login"], load: async () => (await import("./commands/login.ts")).addLogin },
  { words: ["log", "agents"], load: async () => (await import("./commands/log.ts")).addLog },
  { words: ["run"], load: async () => (await import("./commands/run.ts")).addRun },
  { words: ["use"], load: async () => (await import("./commands/use.ts")).addUse },
  { words: ["graph"], load: async () => (await import("./commands/graph.ts")).addGraph },
  { words: ["browsers", "cookies"], load: async () => (await import("./commands/cookies.ts")).addCookies },
  { words: ["curl"], load: async () => (await import("./commands/curl.ts")).addCurl },
  { words: ["browse"], load: async () => (await import("./commands/browse.ts")).addBrowse },
  { words: ["session"], load: async () => (await import("./commands/session.ts")).addSession },
  { words: ["mcp"], load: async () => (await import("./commands/mcp.ts")).addMcp },
  { words: ["deliver", "policy"], load: async () => (await import("./commands/deliver.ts")).addDeliver },
  {
    words: ["pair", "source", "sink", "peers"],
    load: async () => (await import("./commands/sync.ts")).addSync,
  },
  {
    words: ["completion", "manual"],
    load: async () => (await import("./commands/completion.ts")).addCompletion,
  },
  { words: ["demo"], load: async () => (await import("./commands/demo.ts")).addDemo },
];

/** The one file that has the command; all of them where help is wanted or the word is none of ours. */
export function filesFor(argv: readonly string[]): readonly CommandFile[] {
  if (argv[0] === "--version") return [];
  const found = COMMAND_FILES.filter(({ words }) => words.includes(argv[0] ?? ""));
  return found.length > 0 ? found : COMMAND_FILES;
}
