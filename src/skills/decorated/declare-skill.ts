import { mapOf } from "../manifest/any-map.ts";
import type { ManifestSource, Path, Place } from "../manifest/manifest-source.ts";
import type { Problem } from "../problem.ts";
import { DeclaredSource, placeKey } from "./declared-source.ts";
import { operationOf, providedBy } from "./declared-operation.ts";
import type { Syntax } from "./syntax.ts";

export interface Declared {
  readonly source: DeclaredSource;
  readonly problems: readonly Problem[];
}

/**
 * One manifest of what a skill declares in Python and what stands beside it, in a skill.yaml or at the head of its
 * readme. What both say is as the latter has it: whoever wrote it there meant it.
 */
export function declareSkill({ modules, problems }: Syntax, base: ManifestSource | undefined): Declared {
  const written = mapOf(base?.data) ?? {};
  const places = new Map<string, Place>();
  const found: Problem[] = [...problems];
  const connections = { ...mapOf(written["connections"]) };
  const operations = { ...mapOf(written["operations"]) };
  const provides: unknown[] = Array.isArray(written["provides"]) ? [...written["provides"]] : [];
  const note = (path: Path, { file, line, column }: Place) =>
    places.set(placeKey(path), { line, column, ...(file === undefined ? {} : { file }) });

  for (const { connections: declared, operations: functions } of modules) {
    for (const { name, keys, places: own, ...place } of declared) {
      if (name in connections && !places.has(placeKey(["connections", name]))) continue;
      connections[name] = keys;
      note(["connections", name], place);
      for (const [key, at] of Object.entries(own)) note(["connections", name, key], at);
    }
    for (const operation of functions) {
      const { name, file, line, column } = operation;
      if (name in operations) {
        const other = places.get(placeKey(["operations", name]))?.file;
        if (other !== undefined && other !== file)
          found.push({
            severity: "warning",
            message: `${name} is declared in ${other} already`,
            file,
            line,
            column,
          });
        continue;
      }
      operations[name] = operationOf(operation);
      note(["operations", name], operation);
      for (const param of operation.params) note(["operations", name, "params", param.name], param);
      const provided = providedBy(operation);
      if (provided === undefined) continue;
      note(["provides", provides.length], operation);
      provides.push(provided);
    }
  }
  const [first] = modules;
  const described = written["description"] ?? firstWords(first?.doc);
  const data = {
    ...written,
    ...(described === undefined ? {} : { description: described }),
    connections,
    operations,
    provides,
  };
  const source = new DeclaredSource({ data, places, base, file: first?.file ?? "." });
  return { source, problems: found };
}

/** The first sentence of a module's own words. */
function firstWords(doc: string | null | undefined): string | undefined {
  const [first = ""] = (doc ?? "").split(/\n\s*\n/);
  return first.replaceAll(/\s+/g, " ").trim().slice(0, 300) || undefined;
}
