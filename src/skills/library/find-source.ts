import { DeputyError } from "../../kernel/index.ts";
import { declareSkill, declaringFiles, type SyntaxReader } from "../decorated/index.ts";
import type { ManifestSource } from "../manifest/manifest-source.ts";
import { YamlSource } from "../manifest/yaml-source.ts";
import type { Problem } from "../problem.ts";
import type { Readme } from "./readme.ts";
import type { FolderContent } from "./skill-folder.ts";

export interface FoundSource {
  /** Undefined: the folder declares nothing, or with problems, what it declares cannot be read. */
  readonly source: ManifestSource | undefined;
  readonly problems: readonly Problem[];
  /** Written for the ancestor. */
  readonly foreign: boolean;
  /** Addresses that stand in its Python. */
  readonly origins: readonly string[];
  /** What is wrong is not wrong with the folder: it may be right the next time with the same files. */
  readonly passing?: true;
}

interface Options {
  readonly syntax?: (() => Promise<SyntaxReader>) | undefined;
}

/** Where a folder says what its skill has: skill.yaml, the head of the readme, Python, or the latter with one of them. */
export async function findSource(
  { files }: FolderContent,
  readme: Readme,
  { syntax }: Options,
): Promise<FoundSource> {
  const declaring = declaringFiles(files);
  const foreign = importsAgentos(files);
  const origins = foreign ? originsIn(files) : [];
  const yaml = files.get("skill.yaml");
  const base =
    yaml === undefined ? frontOf(readme, declaring.size > 0) : YamlSource.parse(yaml, "skill.yaml");
  if (base !== undefined && "problems" in base)
    return { source: undefined, problems: base.problems, foreign, origins };
  const isForeign = foreign || (yaml === undefined && base !== undefined);
  if (declaring.size === 0) return { source: base, problems: [], foreign: isForeign, origins };
  const [first = "."] = declaring.keys();
  if (syntax === undefined) return broken(first, "its Python is not read here", undefined, origins);
  try {
    const { source, problems } = declareSkill(await (await syntax())(declaring), base);
    return { source, problems, foreign: true, origins };
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    const found = broken(first, error.message, error.hint, origins);
    return error.code === "UNSUPPORTED" ? { ...found, passing: true } : found;
  }
}

function broken(
  file: string,
  message: string,
  hint: string | undefined,
  origins: readonly string[],
): FoundSource {
  const problem = { severity: "error" as const, message, file, ...(hint === undefined ? {} : { hint }) };
  return { source: undefined, problems: [problem], foreign: true, origins };
}

/** The head of a readme counts where it declares something, or tells more about what Python does. */
function frontOf(
  { front, file }: Readme,
  hasPython: boolean,
): ReturnType<typeof YamlSource.parse> | undefined {
  if (front === null) return undefined;
  const source = YamlSource.parse(Buffer.from(front), file);
  const data = source instanceof YamlSource ? source.data : undefined;
  const isMap = typeof data === "object" && data !== null && !Array.isArray(data);
  const declares = isMap && ["operations", "connections", "provides"].some((key) => key in data);
  return declares || (isMap && hasPython) ? source : undefined;
}

function importsAgentos(files: FolderContent["files"]): boolean {
  return files
    .entries()
    .some(
      ([path, bytes]) => path.endsWith(".py") && /^\s*(from|import) agentos\b/m.test(bytes.toString("utf8")),
    );
}

const ADDRESS = /["'](https?:\/\/[A-Za-z0-9.-]+(?::\d+)?)(?=[/"'?{])/g;

function originsIn(files: FolderContent["files"]): string[] {
  const found = new Set<string>();
  for (const [path, content] of files) {
    if (!path.endsWith(".py")) continue;
    for (const [, address = ""] of content.toString("utf8").matchAll(ADDRESS))
      if (URL.canParse(address)) found.add(new URL(address).origin);
  }
  return [...found];
}
