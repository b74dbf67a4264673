import type { ManifestSource, Path } from "../manifest/manifest-source.ts";
import type { Problem } from "../problem.ts";

/** What was found, at the place in the manifest it is about. */
export class Findings {
  readonly source: ManifestSource | undefined;
  readonly problems: Problem[] = [];

  constructor(source: ManifestSource | undefined) {
    this.source = source;
  }

  add(severity: Problem["severity"], path: Path, message: string, hint?: string): void {
    const at = this.source?.at(path);
    const base = at === undefined ? { file: "." } : { file: this.source?.file ?? ".", ...at };
    this.problems.push({ severity, message, ...base, ...(hint === undefined ? {} : { hint }) });
  }

  inFile(severity: Problem["severity"], file: string, message: string, hint?: string, line?: number): void {
    const place = line === undefined ? {} : { line, column: 1 };
    this.problems.push({ severity, message, file, ...place, ...(hint === undefined ? {} : { hint }) });
  }
}
