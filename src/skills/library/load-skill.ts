import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Expressions } from "../../expressions/index.ts";
import { compileSkill } from "../compile/compile-skill.ts";
import type { SyntaxReader } from "../decorated/index.ts";
import type { ManifestSource } from "../manifest/manifest-source.ts";
import { readManifestSource } from "../manifest/read-manifest.ts";
import { byPlace, type Problem } from "../problem.ts";
import { isReservedId, reservedWords } from "../reserved-ids.ts";
import type { Origin, Skill } from "../skill.ts";
import { findSource } from "./find-source.ts";
import { idIn } from "./manifest-glance.ts";
import { type Readme, readmeOf } from "./readme.ts";
import { type FolderContent, readFolder } from "./skill-folder.ts";

/** What came of loading a folder: a skill, or what is wrong with it. */
export interface LoadedSkill {
  /** As far as it is known. */
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  readonly origin: Origin;
  readonly skill: Skill | undefined;
  readonly problems: readonly Problem[];
  /** For the places of what is found later. */
  readonly source: ManifestSource | undefined;
  /** Of the files it was loaded from; empty where the same files may come to something else the next time. */
  readonly stamp: string;
}

interface LoadOptions {
  readonly origin: Origin;
  readonly dev?: boolean;
  readonly expressions: Expressions;
  readonly platform?: NodeJS.Platform;
  /** Somebody else's folder: what cannot be read strictly is read as the ancestor's, if it can be that way. */
  readonly lenient?: boolean;
  /** For skills that say in Python what they have. Without it such a skill cannot be used. */
  readonly syntax?: (() => Promise<SyntaxReader>) | undefined;
}

const MANIFEST = "skill.yaml";

/** Loads one folder. Whatever is in it, the outcome is a value. */
export async function loadSkill(folder: string, options: LoadOptions): Promise<LoadedSkill> {
  const content = readFolder(folder);
  const fallback = basename(folder);
  const base = { folder: existing(folder), origin: options.origin, stamp: content.stamp };
  const broken = (problems: readonly Problem[], id = fallback, source?: ManifestSource): LoadedSkill => ({
    ...base,
    id,
    name: id,
    skill: undefined,
    problems: byPlace(problems),
    source,
  });
  if ("refusal" in content) return broken([problem(".", content.refusal)]);
  const readme = readmeOf(content);
  const bytes = content.files.get(MANIFEST);
  const found = await findSource(content, readme, options);
  if (found.source === undefined && found.problems.length > 0) {
    const of = broken(found.problems, bytes === undefined ? fallback : (idIn(bytes) ?? fallback));
    return found.passing === true ? { ...of, stamp: "" } : of;
  }
  if (found.source === undefined) {
    if (readme.text === null) return broken([problem(".", `there is no ${MANIFEST} and no readme.md in it`)]);
    if (!isId(fallback))
      return broken([problem(".", "its folder's name cannot be an id: lower-case letters, digits, - and _")]);
    if (isReservedId(fallback)) return broken([problem(".", reservedWords(fallback))]);
    return instructions({ ...base, id: fallback, source: undefined }, content, readme, options);
  }

  const { source } = found;
  const reading = {
    strict: options.origin === "bundled",
    origins: found.origins,
    platform: options.platform ?? process.platform,
  };
  const strictly = readManifestSource(source, { ...reading, importsAgentos: found.foreign });
  const leniently =
    strictly.form === undefined && options.lenient === true
      ? readManifestSource(source, { ...reading, importsAgentos: true })
      : strictly;
  const read = leniently.form === undefined ? strictly : leniently;
  const manifest = { ...read, problems: [...found.problems, ...read.problems] };
  const { form } = manifest;
  const said = manifest.id ?? (bytes === undefined ? undefined : idIn(bytes));
  const known = said !== undefined && isId(said) ? said : fallback;
  if (form === undefined) return broken(manifest.problems, known, source);
  const id = form.id ?? fallback;
  if (!isId(id))
    return broken(
      [...manifest.problems, problem(MANIFEST, "needs an id: the folder's name cannot be one")],
      fallback,
      source,
    );
  if (isReservedId(id))
    return broken(
      [...manifest.problems, { ...problem(MANIFEST, reservedWords(id)), ...source.at(["id"]) }],
      id,
      source,
    );

  const { parts, problems } = await compileSkill({
    id,
    form,
    source,
    manifest,
    expressions: options.expressions,
  });
  const all = byPlace([...manifest.problems, ...problems, ...readme.problems]);
  if (all.some(({ severity }) => severity === "error")) return broken(all, id, source);
  const name = form.name ?? (bytes === undefined ? headingOf(readme) : undefined) ?? id;
  const skill: Skill = {
    id,
    name,
    description: form.description?.trim() ?? "",
    website: form.website ?? null,
    origin: options.origin,
    folder: base.folder,
    pin: content.pin,
    dev: options.dev ?? false,
    ancestor: manifest.ancestor,
    readme: readme.text,
    ...parts,
    warnings: all,
  };
  return { ...base, id, name, skill, problems: all, source };
}

/** A folder with words only: what an agent should know, nothing it can call. */
function instructions(
  base: Omit<LoadedSkill, "name" | "skill" | "problems">,
  content: FolderContent,
  readme: Readme,
  { dev }: LoadOptions,
): LoadedSkill {
  const { id, folder, origin } = base;
  const name = headingOf(readme) ?? id;
  const skill: Skill = {
    id,
    name,
    description: firstParagraph(readme.text ?? ""),
    website: null,
    origin,
    folder,
    pin: content.pin,
    dev: dev ?? false,
    ancestor: false,
    readme: readme.text,
    connections: new Map(),
    operations: new Map(),
    adapters: new Map(),
    provides: [],
    checks: new Map(),
    warnings: readme.problems,
  };
  return { ...base, name, skill, problems: readme.problems };
}

function headingOf(readme: Readme): string | undefined {
  return /^#\s+(.+)$/m.exec(readme.text ?? "")?.[1]?.trim();
}

function firstParagraph(text: string): string {
  const line = text.split(/\n\s*\n/).find((part) => part.trim() !== "" && !part.trim().startsWith("#"));
  return (line ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

function isId(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text);
}

function problem(file: string, message: string): Problem {
  return { severity: "error", message, file };
}

function existing(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
