import { isDeepStrictEqual } from "node:util";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DeputyError } from "../../../kernel/index.ts";
import { type ClientKind, clientKinds, NAME, type Places, type Way } from "./clients.ts";
import { isEmptyDocument, readMember, removeMember, setMember } from "./jsonc.ts";
import { removeTable, setTable } from "./toml.ts";

interface InstallParts {
  readonly places: Places;
  /** Whole or not at all. */
  readonly write: (path: string, text: string, mode: number) => void;
}

export interface Installed {
  readonly client: string;
  readonly file: string;
  readonly changed: boolean;
  /** What the file was before, where it was. */
  readonly backup: string | null;
  readonly after: string | null;
}

export const clientNames: readonly string[] = Object.keys(clientKinds);

export function clientKind(client: string): ClientKind {
  const kind = Object.hasOwn(clientKinds, client) ? clientKinds[client] : undefined;
  if (kind !== undefined) return kind;
  throw new DeputyError("BAD_USAGE", `Deputy does not know the client ${client}`, {
    hint: `It knows ${clientNames.join(", ")}. Any other client can start: deputy mcp`,
  });
}

/** What to put where, for clients whose settings we leave to their owner. */
export function snippet(client: string, way: Way, places: Places): { file: string; text: string } {
  const kind = clientKind(client);
  return { file: kind.file(places), text: withEntry("", kind, way) };
}

/** Adds Deputy to a client's settings. What the file was is kept beside it; again, it changes nothing. */
export function install(client: string, way: Way, { places, write }: InstallParts): Installed {
  const kind = editable(client);
  const file = target(kind.file(places));
  const before = read(file);
  const told = about(client, kind, file);
  if (before !== undefined && hasEntry(before.text, kind, way))
    return { ...told, changed: false, backup: null };
  const text = attempt(file, () => withEntry(before?.text ?? "", kind, way));
  mkdirSync(dirname(file), { recursive: true });
  const backup = before === undefined ? null : backupOf(file);
  if (before === undefined)
    rmSync(backupOf(file), { force: true }); // of a file that is gone
  // What it was before we came is worth keeping, not what it was before we came again.
  else if (!existsSync(backupOf(file)) || withoutEntry(before.text, kind) === before.text) {
    write(backupOf(file), before.text, before.mode);
  }
  write(file, text, before?.mode ?? 0o600);
  return { ...told, changed: true, backup };
}

/** Takes it out again: the file as it was where nobody changed it since, else without our entry. */
export function uninstall(client: string, { places, write }: InstallParts): Installed {
  const kind = editable(client);
  const file = target(kind.file(places));
  const told = { ...about(client, kind, file), backup: null, after: null };
  const now = read(file);
  if (now === undefined) return { ...told, changed: false };
  const without = attempt(file, () => withoutEntry(now.text, kind));
  if (without === now.text) return { ...told, changed: false };
  const old = read(backupOf(file));
  if (old === undefined && isEmptyDocument(without)) rmSync(file);
  else write(file, old !== undefined && isOnlyOurs(old.text, now.text, kind) ? old.text : without, now.mode);
  rmSync(backupOf(file), { force: true });
  return { ...told, changed: true };
}

function about(client: string, kind: ClientKind, file: string) {
  return { client, file, after: kind.after ?? null };
}

function editable(client: string): ClientKind {
  const kind = clientKind(client);
  if (kind.edited) return kind;
  throw new DeputyError("BAD_USAGE", `Deputy does not edit the settings of ${kind.title}`, {
    hint: `This shows what to add, and where: deputy mcp install ${client} --print`,
  });
}

/** A link stays a link: what it leads to is written. */
function target(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function backupOf(file: string): string {
  return `${file}.deputy-backup`;
}

function read(file: string): { text: string; mode: number } | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // A rename would replace it all the same, against its owner's wish.
  if ((stat.mode & 0o200) === 0) {
    throw new DeputyError("READ_ONLY", `Cannot change ${file}: it is read-only`, {
      hint: "Nothing was changed. Make it writable, or add the entry by hand: deputy mcp install CLIENT --print",
    });
  }
  return { text: readFileSync(file, "utf8"), mode: stat.mode & 0o777 };
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    throw new DeputyError(error.code, `Cannot use ${file}: ${error.message}`, { hint: error.hint });
  }
}

function withEntry(text: string, kind: ClientKind, way: Way): string {
  if (kind.format === "json") return setMember(text, [kind.section, NAME], kind.entry(way));
  return setTable(text, kind.section, NAME, kind.entry(way) as Record<string, string>);
}

function withoutEntry(text: string, kind: ClientKind): string {
  return kind.format === "json"
    ? removeMember(text, [kind.section, NAME])
    : removeTable(text, kind.section, NAME);
}

/** Whether Deputy is in the settings already, just as it would be written. */
export function hasEntry(text: string, kind: ClientKind, way: Way): boolean {
  try {
    if (kind.format === "toml") return withEntry(text, kind, way) === text;
    return isDeepStrictEqual(readMember(text, [kind.section, NAME]), kind.entry(way));
  } catch {
    return false; // told when it is changed
  }
}

/** Whether `now` is what we made of `old`, and nothing else. */
function isOnlyOurs(old: string, now: string, kind: ClientKind): boolean {
  if (withoutEntry(old, kind) !== old) return false;
  if (kind.format === "toml") return removeTable(now, kind.section, NAME).trim() === old.trim();
  const ours = readMember(now, [kind.section, NAME]);
  return setMember(old, [kind.section, NAME], ours) === now;
}
