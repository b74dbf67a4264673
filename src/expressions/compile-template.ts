import type { ErrorCode } from "../kernel/index.ts";
import { additionsFor } from "./additions.ts";
import { ExpressionError } from "./expression-error.ts";
import { findForbidden } from "./forbidden.ts";
import { findRoots } from "./find-roots.ts";
import { findJoinedText } from "./joined-text.ts";
import { jqProgram } from "./jq-program.ts";
import type { ExpressionLimits } from "./limits.ts";
import { looksLikeJq } from "./looks-like-jq.ts";
import { readPlain } from "./plain-expression.ts";
import { findPlainPath, type Path } from "./plain-path.ts";
import type { JqField, Node, Program, Roots, Scope, SourceRef, Template, TextWarning } from "./program.ts";
import { readTokens, type Token } from "./tokens.ts";

/** Why an expression cannot be used. BAD_INPUT is "does not compile"; other codes are never a sign of text. */
export interface Problem {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** Says of each expression what is wrong with it, or undefined where it compiles. */
export type CheckExpressions = (
  expressions: readonly { readonly text: string; readonly additions: string }[],
) => Promise<(Problem | undefined)[]>;

const UNREADABLE: Problem = { code: "BAD_INPUT", reason: "quotes or brackets do not match" };

interface Candidate extends JqField {
  readonly tokens: readonly Token[] | undefined;
  readonly path: Path | undefined;
}

interface CompileOptions {
  readonly limits: ExpressionLimits;
  readonly check: CheckExpressions;
  /** `expression`: the whole template is one string, and is jq whatever it looks like. */
  readonly as: "template" | "expression";
}

export async function compileTemplate(
  template: Template,
  { where, roots }: Scope,
  { limits, check, as }: CompileOptions,
): Promise<Program> {
  const strings = [...stringsOf(template, where.field ?? "")].map((string): Candidate | string => {
    if (as === "template" && !looksLikeJq(string.expression)) return string.expression;
    if (Buffer.byteLength(string.expression) > limits.programBytes) {
      throw new ExpressionError("TOO_LARGE", `longer than ${limits.programBytes} bytes`, {
        where,
        ...string,
      });
    }
    return { ...string, tokens: readTokens(string.expression), path: findPlainPath(string.expression) };
  });
  const { warnings, accepted } = await sift(
    strings.filter((string) => typeof string !== "string"),
    { where, roots },
    { limits, check, as },
  );

  const jqFields = accepted.filter(({ path }) => path === undefined);
  const isAccepted = new Set(accepted);
  const jqIndex = new Map(jqFields.map((field, index) => [field, index]));
  const leaves = strings.values().map((string): Node => {
    if (typeof string === "string") return { kind: "text", value: string };
    const { path, field, expression } = string;
    if (!isAccepted.has(string)) return { kind: "text", value: expression };
    if (path !== undefined) return { kind: "path", path, field, expression };
    return { kind: "jq", index: jqIndex.get(string) ?? -1 };
  });
  return {
    where,
    roots,
    warnings,
    tree: treeOf(template, leaves),
    jq: programOf(jqFields, where, limits),
  };
}

/** Parts what is jq from what only begins like it, and throws for what was meant as jq and is wrong. */
async function sift(
  candidates: readonly Candidate[],
  scope: Scope,
  { check, as }: CompileOptions,
): Promise<{ accepted: Candidate[]; warnings: TextWarning[] }> {
  const toCheck = candidates.filter(({ tokens, path }) => tokens !== undefined && path === undefined);
  const problems = await check(
    toCheck.map(({ expression, tokens = [] }) => ({ text: expression, additions: additionsFor(tokens) })),
  );
  const problemOf = new Map(toCheck.map((candidate, index) => [candidate, problems[index]]));
  const accepted: Candidate[] = [];
  const warnings: TextWarning[] = [];
  for (const candidate of candidates) {
    const { field, expression, tokens } = candidate;
    const problem = tokens === undefined ? UNREADABLE : problemOf.get(candidate);
    if (problem === undefined) {
      checkScope(candidate, scope);
      accepted.push(candidate);
    } else if (problem.code !== "BAD_INPUT" || as === "expression" || mentionsRoot(expression, scope.roots)) {
      throw new ExpressionError(problem.code, problem.reason, { where: scope.where, field, expression });
    } else {
      warnings.push({ field, text: expression, reason: problem.reason });
    }
  }
  return { accepted, warnings };
}

function programOf(fields: readonly Candidate[], where: SourceRef, limits: ExpressionLimits): Program["jq"] {
  if (fields.length === 0) return undefined;
  const additions = additionsFor(fields.flatMap(({ tokens = [] }) => tokens));
  const text = jqProgram(fields, additions, limits.outputBytes);
  if (Buffer.byteLength(text) > limits.programBytes) {
    const field = where.field;
    throw new ExpressionError("TOO_LARGE", `expressions over ${limits.programBytes} bytes`, { where, field });
  }
  const named = fields.map(({ field, expression, tokens = [] }) => {
    return { field, expression, joined: findJoinedText(expression), plain: readPlain(tokens) };
  });
  return { text, fields: named };
}

function checkScope({ field, expression, tokens = [] }: Candidate, { where, roots }: Scope): void {
  const forbidden = findForbidden(tokens);
  if (forbidden !== undefined) {
    const problem = `${forbidden.name} is not allowed, because ${forbidden.reason},`;
    throw new ExpressionError("BAD_INPUT", problem, { where, field, expression });
  }
  if (roots === "any") return;
  const unknown = findRoots(tokens).find((root) => !roots.includes(root));
  if (unknown === undefined) return;
  throw new ExpressionError(
    "BAD_INPUT",
    `there is no .${unknown} here`,
    { where, field, expression },
    {
      hint: `In scope: ${roots.map((root) => `.${root}`).join(" ")}. Text that begins like jq is written '"…"'.`,
    },
  );
}

/**
 * Whether text that does not compile was meant as an expression all the same: it names something that is in scope.
 * Prose such as "(see below)" does not, and is text.
 */
function mentionsRoot(text: string, roots: Roots): boolean {
  const names = [...text.matchAll(/(?<![\w)\]}"'./\\])\.([A-Za-z_]\w*)/g)].map((match) => match[1] ?? "");
  return roots === "any" ? names.length > 0 : names.some((name) => roots.includes(name));
}

function* stringsOf(template: Template, field: string): Generator<JqField> {
  if (typeof template === "string") yield { field, expression: template };
  if (typeof template !== "object" || template === null) return;
  for (const [key, value] of Object.entries(template)) {
    const name = Array.isArray(template) ? `[${key}]` : field === "" ? key : `.${key}`;
    yield* stringsOf(value, `${field}${name}`);
  }
}

/** The template with its strings replaced by `leaves`, which are in the order of `stringsOf`. */
function treeOf(template: Template, leaves: Iterator<Node>): Node {
  if (typeof template === "string") return leaves.next().value as Node;
  if (typeof template !== "object" || template === null) return { kind: "text", value: template };
  const parts = Object.entries(template).map(([key, value]) => [key, treeOf(value, leaves)] as const);
  return Array.isArray(template)
    ? { kind: "array", items: parts.map(([, node]) => node) }
    : { kind: "object", entries: parts };
}
