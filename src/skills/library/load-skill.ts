import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Expressions } from "../../expressions/index.ts";
import { compileSkill } from "../compile/compile-skill.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import { byPlace, type Problem } from "../problem.ts";
import { isReservedId, reservedWords } from "../reserved-ids.ts";
import type { Origin, Skill } from "../skill.ts";
import { idIn } from "./manifest-glance.ts";
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
  readonly stamp: string;
}

export interface LoadOptions {
  readonly origin: Origin;
  readonly dev?: boolean;
  readonly expressions: Expressions;
  readonly platform?: NodeJS.Platform;
}

const MANIFEST = "skill.yaml";
const LONGEST_README = 256 * 1024;

/** Loads one folder. Whatever is in it, the outcome is a value. */
export async function loadSkill(folder: string, options: LoadOptions): Promise<LoadedSkill> {
  const content = readFolder(folder);
  const fallback = basename(folder);
  const base = { folder: existing(folder), origin: options.origin, stamp: content.stamp };
  const broken = (problems: readonly Problem[], id = fallback): LoadedSkill => ({
    ...base,
    id,
    name: id,
    skill: undefined,
    problems: byPlace(problems),
  });
  if ("refusal" in content) return broken([problem(".", content.refusal)]);
  const bytes = content.files.get(MANIFEST);
  const readme = readmeOf(content);
  if (bytes === undefined) {
    if (readme.text === null) return broken([problem(".", `there is no ${MANIFEST} and no readme.md in it`)]);
    if (!isId(fallback))
      return broken([problem(".", "its folder's name cannot be an id: lower-case letters, digits, - and _")]);
    if (isReservedId(fallback)) return broken([problem(".", reservedWords(fallback))]);
    return instructions({ ...base, id: fallback }, content, readme, options);
  }

  const manifest = readManifest(bytes, {
    file: MANIFEST,
    strict: options.origin === "bundled",
    importsAgentos: importsAgentos(content),
    platform: options.platform ?? process.platform,
  });
  const { form, source } = manifest;
  const said = manifest.id ?? idIn(bytes);
  const known = said !== undefined && isId(said) ? said : fallback;
  if (form === undefined || source === undefined) return broken(manifest.problems, known);
  const id = form.id ?? fallback;
  if (!isId(id))
    return broken([...manifest.problems, problem(MANIFEST, "needs an id: the folder's name cannot be one")]);
  if (isReservedId(id))
    return broken(
      [...manifest.problems, { ...problem(MANIFEST, reservedWords(id)), ...source.at(["id"]) }],
      id,
    );

  const { parts, problems } = await compileSkill({
    id,
    form,
    source,
    manifest,
    expressions: options.expressions,
  });
  const all = byPlace([...manifest.problems, ...problems, ...readme.problems]);
  if (all.some(({ severity }) => severity === "error")) return broken(all, id);
  const name = form.name ?? id;
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
  return { ...base, id, name, skill, problems: all };
}

/** A folder with words only: what an agent should know, nothing it can call. */
function instructions(
  base: Omit<LoadedSkill, "name" | "skill" | "problems">,
  content: FolderContent,
  readme: Readme,
  { dev }: LoadOptions,
): LoadedSkill {
  const { id, folder, origin } = base;
  const heading = /^#\s+(.+)$/m.exec(readme.text ?? "")?.[1]?.trim();
  const name = heading ?? id;
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

interface Readme {
  readonly text: string | null;
  readonly problems: readonly Problem[];
}

function readmeOf({ files }: FolderContent): Readme {
  const path = [...files.keys()].find((name) => name.toLowerCase() === "readme.md");
  const bytes = path === undefined ? undefined : files.get(path);
  if (path === undefined || bytes === undefined) return { text: null, problems: [] };
  if (bytes.length <= LONGEST_README) return { text: new TextDecoder().decode(bytes), problems: [] };
  const cut = new TextDecoder().decode(bytes.subarray(0, LONGEST_README));
  const message = `is over ${LONGEST_README / 1024} KB: agents are told only the beginning`;
  return { text: cut, problems: [{ severity: "warning", message, file: path }] };
}

function importsAgentos({ files }: FolderContent): boolean {
  return files
    .entries()
    .some(
      ([path, bytes]) => path.endsWith(".py") && /^\s*(from|import) agentos\b/m.test(bytes.toString("utf8")),
    );
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
