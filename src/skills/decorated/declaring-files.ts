const DECORATOR = /^@(?:agentos\.)?(?:\w+\.)?(?:connection|returns|timeout|provides|claims|test)\b/m;
const CONNECTION = /^(?:\w+\s*=\s*)?(?:agentos\.)?connection\s*\(/m;
const IMPORT = /^\s*(?:from\s+agentos\b|import\s+agentos\b)/m;
/** What lies beside the code: notes, experiments, tests. */
const ASIDE = /(?:^|\/)(?:[_.][^/]*\/|node_modules\/|tests?\/|test_[^/]*$|[^/]*_test\.py$)/;
/** More than one person writes; less than holds up a reader. */
const LARGEST = 2_000_000;

/** Whether a Python file looks as if it declared operations or connections. The syntax tree has the last word. */
export function isDeclaring(path: string, text: string): boolean {
  if (!path.endsWith(".py") || ASIDE.test(path) || text.length > LARGEST || !IMPORT.test(text)) return false;
  return DECORATOR.test(text) || CONNECTION.test(text);
}

export function declaringFiles(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  return new Map(files.entries().filter(([path, content]) => isDeclaring(path, content.toString("utf8"))));
}
