import type { Problem } from "../problem.ts";
import { adaptAncestor, isAncestor } from "./ancestor.ts";
import { createKnownKeys } from "./known-keys.ts";
import { type Explained, explainIssue } from "./explain-issue.ts";
import { manifestForm, type ManifestForm } from "./manifest-form.ts";
import type { ManifestSource, Path } from "./manifest-source.ts";
import { YamlSource } from "./yaml-source.ts";

export interface ReadManifest {
  readonly form: ManifestForm | undefined;
  readonly source: ManifestSource | undefined;
  /** Written for the ancestor: unknown keys are warnings. */
  readonly ancestor: boolean;
  /** By connection, the operation that says whose login it has. */
  readonly checks: ReadonlyMap<string, string>;
  /** As far as it could be read, so that a broken skill can be named. */
  readonly id: string | undefined;
  readonly problems: readonly Problem[];
}

interface SourceOptions {
  /** A bundled skill is never the ancestor's. */
  readonly strict: boolean;
  /** Its code imports the ancestor's SDK. */
  readonly importsAgentos?: boolean;
  /** Addresses that stand in its code. */
  readonly origins?: readonly string[];
  readonly platform: NodeJS.Platform;
}

interface ReadOptions extends SourceOptions {
  readonly file: string;
}

/** Whoever has more mistakes than this corrects these first. */
const MOST_PROBLEMS = 50;

const NOTHING = { form: undefined, ancestor: false, checks: new Map<string, string>() };

const MAY_BE_EMPTY = ["connections", "operations", "adapters", "provides"];

/** Reads a skill.yaml. Whatever is in it, the outcome is a value: a form, or problems with their places. */
export function readManifest(bytes: Uint8Array, options: ReadOptions): ReadManifest {
  const source = YamlSource.parse(bytes, options.file);
  if (source instanceof YamlSource) return readManifestSource(source, options);
  return { ...NOTHING, source: undefined, id: undefined, problems: source.problems };
}

/** The same for what was declared elsewhere than in a skill.yaml. */
export function readManifestSource(source: ManifestSource, options: SourceOptions): ReadManifest {
  const { data, file } = source;
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    const message = data === null ? "is empty" : "must be a map of keys such as id, name, operations";
    const problem = { severity: "error" as const, message, file, ...source.at([]) };
    return { ...NOTHING, source, id: undefined, problems: [problem] };
  }
  // `operations:` with nothing below it is what is left when the last one is taken out.
  const given = Object.fromEntries(
    Object.entries(data).filter(([key, value]) => value !== null || !MAY_BE_EMPTY.includes(key)),
  );
  const ancestor = !options.strict && (options.importsAgentos === true || isAncestor(given));
  const adapted = ancestor ? adaptAncestor(given, options) : undefined;
  const problems: Problem[] = (adapted?.warnings ?? []).map(({ path, message }) =>
    problemAt(source, "warning", { path, message }),
  );
  const { form, explained } = parse(adapted?.data ?? given, ancestor);
  for (const one of explained.slice(0, MOST_PROBLEMS)) {
    const harmless = one.leftOut === true || (ancestor && one.unknown !== undefined);
    problems.push(problemAt(source, harmless ? "warning" : "error", one));
  }
  const id = typeof given["id"] === "string" ? given["id"] : undefined;
  return { form, source, ancestor, checks: adapted?.checks ?? NOTHING.checks, id, problems };
}

/** Unknown keys hide what else is wrong with the map they are in, so they are taken out and the rest is asked again. */
function parse(data: object, lenient: boolean): { form: ManifestForm | undefined; explained: Explained[] } {
  const explained: Explained[] = [];
  const knownKeys = createKnownKeys();
  // A misspelt key is told as such, and not once more as a missing one.
  const isNews = ({ path, message }: Explained) =>
    !explained.some(({ path: at, meant }) => {
      if (meant === undefined) return false;
      const isMissing = path.length === at.length + 1 && path.at(-1) === meant;
      const isIdle = path.length === at.length && message.includes("does nothing");
      return (isMissing || isIdle) && at.every((step, index) => step === path[index]);
    });
  const rest = structuredClone(data);
  for (;;) {
    const parsed = manifestForm.safeParse(rest);
    if (parsed.success) {
      const usable = lenient || explained.length === 0;
      return { form: usable ? parsed.data : undefined, explained };
    }
    const found = parsed.error.issues.flatMap((issue) => explainIssue(issue, rest, knownKeys));
    const unknown = found.filter(
      (one) => one.unknown !== undefined && removeKey(rest, one.path, one.unknown),
    );
    explained.push(...unknown);
    const leftOut = lenient ? leaveOut(rest, found) : [];
    explained.push(...leftOut);
    if (unknown.length + leftOut.length > 0) continue;
    const news = found.slice(0, MOST_PROBLEMS).filter(isNews);
    return { form: undefined, explained: [...explained, ...news] };
  }
}

/** One operation that cannot be used costs a skill of the ancestor's only that operation. */
function leaveOut(data: object, found: readonly Explained[]): Explained[] {
  const about = found.filter(({ path, unknown }) => unknown === undefined && isPart(path));
  return about.flatMap((one) => {
    const [area = "", part = ""] = one.path;
    const parts = (data as Record<string, object>)[area];
    if (parts === undefined || !removeKey(parts, [], String(part))) return [];
    return [{ ...one, message: `${area}.${part} is left out: ${one.message}`, leftOut: true as const }];
  });
}

function isPart(path: Path): boolean {
  return path.length >= 2 && (path[0] === "operations" || path[0] === "adapters");
}

function removeKey(data: object, path: Path, key: string): boolean {
  let at: unknown = data;
  for (const step of path) at = (at as Record<string | number, unknown> | undefined)?.[step];
  return typeof at === "object" && at !== null && Object.hasOwn(at, key) && Reflect.deleteProperty(at, key);
}

function problemAt(source: ManifestSource, severity: Problem["severity"], one: Explained): Problem {
  const { path, unknown, message, hint } = one;
  const at = unknown === undefined ? source.at(path) : source.at([...path, unknown], "key");
  return { severity, message, file: source.file, ...at, ...(hint === undefined ? {} : { hint }) };
}
