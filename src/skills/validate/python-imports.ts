export interface Imported {
  readonly name: string;
  readonly line: number;
}

/** Modules named by `import a.b, c` and `from a.b import c`, the latter both with and without the name. */
export function importsOf(code: string): Imported[] {
  const found: Imported[] = [];
  const statements =
    /^[ \t]*(?:import[ \t]+([^\n#]+)|from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+))/gm;
  for (const match of code.matchAll(statements)) {
    const [, plain, from, names = ""] = match;
    const line = lineAt(code, match.index);
    const list = (text: string) =>
      text
        .replaceAll(/#[^\n]*|[()\\]/g, " ")
        .split(",")
        .map((part) => part.trim().split(/\s/)[0] ?? "")
        .filter((name) => name !== "");
    const named =
      plain === undefined ? [from ?? "", ...list(names).map((name) => `${from}.${name}`)] : list(plain);
    found.push(...named.map((name) => ({ name, line })));
  }
  return found;
}

export function lineAt(code: string, index: number): number {
  return code.slice(0, index).split("\n").length;
}
