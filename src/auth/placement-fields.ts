import type { Program } from "../expressions/index.ts";
import type { Placement } from "./connection.ts";

/** What a person has to give for a placement: `key`, and whatever else its templates take from `.auth`. */
export function placementFields({ header, query, body }: Placement): string[] {
  const used = [header, query, body].flatMap((program) => (program === null ? [] : namesIn(program)));
  return [...new Set(["key", ...used])];
}

function namesIn({ tree, jq }: Program): string[] {
  const texts = (jq?.fields ?? []).map(({ expression }) => expression);
  const inText = texts.flatMap((text) =>
    [...text.matchAll(/\.auth\.([A-Za-z_]\w*)/g)].map(([, name]) => name),
  );
  return [...pathsIn(tree), ...inText].filter((name) => name !== undefined);
}

function pathsIn(node: Program["tree"]): string[] {
  switch (node.kind) {
    case "path": {
      const [root, name] = node.path;
      return root === "auth" && typeof name === "string" ? [name] : [];
    }
    case "array":
      return node.items.flatMap(pathsIn);
    case "object":
      return node.entries.flatMap(([, item]) => pathsIn(item));
    case "text":
    case "jq":
      return [];
  }
}
