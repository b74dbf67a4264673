import type { Plain } from "./plain-expression.ts";
import type { Path } from "./plain-path.ts";
import type { JqField, Node, Program } from "./program.ts";
import { readTokens, type Token } from "./tokens.ts";

const OPERATORS = new Set("+ - * / % , < > // == != <= >=".split(" "));
const CONSTANTS = new Set(["null", "true", "false"]);

/** Whether a program may read this root. False is certain; true is said wherever it cannot be seen. */
export function readsRoot({ tree, jq }: Program, root: string): boolean {
  return nodeReads(tree, root) || (jq?.fields ?? []).some((field) => fieldReads(field, root));
}

function nodeReads(node: Node, root: string): boolean {
  switch (node.kind) {
    case "text":
    case "jq":
      return false;
    case "path":
      return pathReads(node.path, root);
    case "array":
      return node.items.some((item) => nodeReads(item, root));
    case "object":
      return node.entries.some(([, item]) => nodeReads(item, root));
  }
}

function pathReads([first]: Path, root: string): boolean {
  return first === undefined || first === root;
}

function fieldReads({ expression, joined, plain }: JqField, root: string): boolean {
  if (joined !== undefined)
    return joined.some((part) => typeof part !== "string" && pathReads(part.path, root));
  if (plain !== undefined) return plainReads(plain, root);
  return jqReads(readTokens(expression) ?? [], root);
}

/** What is piped sees nothing but what was piped to it. */
function plainReads(plain: Plain, root: string): boolean {
  switch (plain.kind) {
    case "constant":
      return false;
    case "input":
    case "call":
      return true;
    case "index":
      return plain.of.kind === "input" ? plain.step === root : plainReads(plain.of, root);
    case "slice":
    case "each":
      return plainReads(plain.of, root);
    case "list":
      return plain.of !== undefined && plainReads(plain.of, root);
    case "record":
      return plain.entries.some(([, one]) => plainReads(one, root));
    case "if":
      return [plain.test, plain.yes, plain.no].some((one) => plainReads(one, root));
    case "pair":
      return plainReads(plain.left, root) || (plain.sign !== "|" && plainReads(plain.right, root));
  }
}

/** Only what stands before the first pipe sees the input: there constants and paths can be told from all else. */
function jqReads(tokens: readonly Token[], root: string): boolean {
  for (const [at, token] of tokens.entries()) {
    const { kind, value } = token;
    if (kind === "sign" && value === "|") return at === 0;
    const before = tokens[at - 1];
    const begins = before === undefined || (before.kind === "sign" && before.value !== "?");
    const harmless =
      kind === "text" ||
      kind === "number" ||
      (kind === "name" && CONSTANTS.has(value)) ||
      (kind === "sign" && (value === "?" || OPERATORS.has(value))) ||
      (kind === "field" && !(begins && value === `.${root}`));
    if (!harmless) return true;
  }
  return tokens.length === 0;
}
