import type { Token } from "./tokens.ts";

/** Names after which a term begins; after any other name a term has ended. */
const OPERATORS = new Set(
  "and or if then elif else try catch reduce foreach as def label import include".split(" "),
);

interface Frame {
  readonly opened: string;
  /** Whether `.` is the program's input where the frame begins, and at the token being read. */
  readonly begins: boolean;
  isInput: boolean;
  /** After `as` or `label`: the next `|` binds a variable and leaves `.` as it is. */
  binding: boolean;
  /** After `reduce` or `foreach`: the next `as` is followed by parentheses instead. */
  folding: boolean;
}

/**
 * The names an expression takes from the program's input, as far as its words show: `.params` in `.params.x | .y`, but
 * not `.y`. What stands in a function's argument, a definition, a `catch` or after a pipe is not looked at.
 */
export function findRoots(tokens: readonly Token[]): string[] {
  const roots = new Set<string>();
  const frames: Frame[] = [frame("", true)];
  let folded = false;
  let caught = false;

  for (const [at, token] of tokens.entries()) {
    const top = frames.at(-1);
    if (top === undefined) break;
    const before = tokens[at - 1];
    const here = top.isInput && !caught;
    if (token.kind === "open") {
      const isCall = token.value === "(" && before?.kind === "name" && !OPERATORS.has(before.value);
      frames.push(frame(folded && token.value === "(" ? "fold" : token.value, here && !isCall));
      if (token.value === "(") folded = false;
    } else if (token.kind === "close") {
      frames.pop();
    } else if (token.kind === "name") {
      if (token.value === "if") frames.push(frame("if", here));
      if (token.value === "def") frames.push(frame("def", false));
      if (token.value === "end") frames.pop();
      if (["then", "elif", "else"].includes(token.value)) top.isInput = top.begins;
      if (token.value === "reduce" || token.value === "foreach") top.folding = true;
      if (token.value === "label") top.binding = true;
      if (token.value === "as") {
        if (top.folding) folded = true;
        else top.binding = true;
        top.folding = false;
      }
    } else if (token.kind === "sign") {
      if (token.value === "|") {
        if (!top.binding) top.isInput = false;
        top.binding = false;
      }
      if (token.value === "," && top.opened === "{") top.isInput = top.begins;
      if (token.value === ";") {
        if (top.opened === "def") frames.pop();
        else if (top.opened === "fold") top.isInput = false;
      }
    }
    const root = here && !endsTerm(before) ? rootAt(tokens, at) : undefined;
    if (root !== undefined) roots.add(root);
    caught = token.kind === "name" && token.value === "catch";
  }
  return [...roots];
}

function frame(opened: string, isInput: boolean): Frame {
  return { opened, begins: isInput, isInput, binding: false, folding: false };
}

function endsTerm(token: Token | undefined): boolean {
  if (token === undefined || token.kind === "open") return false;
  if (token.kind === "name") return !OPERATORS.has(token.value);
  if (token.kind === "sign") return token.value === "?" || token.value === "." || token.value === "..";
  return token.kind !== "format";
}

/** The name at `.name`, `.["name"]`, `."name"`, or `name` in `{name}`. */
function rootAt(tokens: readonly Token[], at: number): string | undefined {
  const [token, second, third, fourth] = tokens.slice(at, at + 4);
  if (token?.kind === "field") return token.value.slice(1);
  if (token?.kind === "key" && (second?.value === "," || second?.value === "}")) return token.value;
  if (token?.value !== "." || token.kind !== "sign") return undefined;
  if (second?.kind === "text") return second.value;
  return second?.value === "[" && third?.kind === "text" && fourth?.value === "]" ? third.value : undefined;
}
