import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Imported, importsOf } from "./python-imports.ts";

const PACKAGE = join(import.meta.dirname, "../hosts/python/agentos");

/** Names that code imports from the ancestor's package and that ours does not have: it fails where they are used. */
export function unknownNames(imports: readonly Imported[]): Imported[] {
  const asked = imports.filter(({ name }) => name.startsWith("agentos.") && !name.endsWith(".*"));
  if (asked.length === 0) return [];
  const modules = namesIn(PACKAGE);
  const inPackage = new Set([...modules, ...namesOf(join(PACKAGE, "__init__.py"))]);
  return asked.flatMap((one) => {
    const [, first = "", second] = one.name.split(".");
    if (!inPackage.has(first)) return [{ name: first, line: one.line }];
    if (second === undefined || !modules.has(first) || ANYTHING.has(first)) return [];
    const known = namesOf(join(PACKAGE, `${first}.py`), join(PACKAGE, first, "__init__.py"));
    const inside = namesIn(join(PACKAGE, first));
    return known.has(second) || inside.has(second) ? [] : [{ name: `${first}.${second}`, line: one.line }];
  });
}

/** `agentos.shape` has every name. */
const ANYTHING = new Set(["shape", "shapes"]);

function namesIn(folder: string): Set<string> {
  try {
    return new Set(readdirSync(folder).map((name) => name.replace(/\.py$/, "")));
  } catch {
    return new Set();
  }
}

/** What a module of ours defines or passes on, as far as it stands at the beginning of a line. */
function namesOf(...paths: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    let code = "";
    try {
      code = readFileSync(path, "utf8");
    } catch {
      continue;
    }
    for (const [, name = ""] of code.matchAll(/^(?:(?:async )?(?:def|class) )?(\w+)(?= = |, |\(|:)/gm))
      found.add(name);
    for (const [, alias = ""] of code.matchAll(/\bas (\w+)/g)) found.add(alias);
    for (const { name } of importsOf(code)) found.add(name.split(".").at(-1) ?? "");
    for (const [, list = ""] of code.matchAll(/name in \(([^)]*)\)/g))
      for (const [, name = ""] of list.matchAll(/"(\w+)"/g)) found.add(name);
  }
  return found;
}
