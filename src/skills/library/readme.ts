import { splitReadme } from "../decorated/index.ts";
import type { Problem } from "../problem.ts";
import type { FolderContent } from "./skill-folder.ts";

/** What an agent is told about a skill. */
export interface Readme {
  readonly text: string | null;
  /** What stands above it between lines of dashes, on the lines of the file. */
  readonly front: string | null;
  readonly file: string;
  readonly problems: readonly Problem[];
}

const LONGEST = 256 * 1024;

export function readmeOf({ files }: FolderContent): Readme {
  const file = [...files.keys()].find((name) => name.toLowerCase() === "readme.md");
  const bytes = file === undefined ? undefined : files.get(file);
  if (file === undefined || bytes === undefined)
    return { text: null, front: null, file: "readme.md", problems: [] };
  const { front, body } = splitReadme(new TextDecoder().decode(bytes.subarray(0, LONGEST)));
  const message = `is over ${LONGEST / 1024} KB: agents are told only the beginning`;
  const problems = bytes.length <= LONGEST ? [] : [{ severity: "warning" as const, message, file }];
  return { text: body, front, file, problems };
}
