import {
  ExpressionError,
  type Expressions,
  type Program,
  type Roots,
  type Template,
} from "../../expressions/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { ManifestSource, Path, Place } from "../manifest/manifest-source.ts";
import type { Problem } from "../problem.ts";

/** A file this wrong is corrected step by step; compiling what is made to take long must end. */
const MOST_ERRORS = 50;
const LONGEST_MS = 20_000;

/** What a place may refer to, and where it stands in the manifest. */
export interface Spot {
  readonly path: Path;
  readonly roots: Roots;
}

/**
 * Compiles a skill's templates and gathers everything that is wrong with them: an author corrects a file once, not
 * once for each mistake. A program that could not be compiled is replaced by an empty one, and the skill not used.
 */
export class Compiler {
  readonly skill: string;
  readonly problems: Problem[] = [];
  readonly #expressions: Expressions;
  readonly #source: ManifestSource;
  #errors = 0;
  #spentMs = 0;

  constructor(parts: { skill: string; expressions: Expressions; source: ManifestSource }) {
    this.skill = parts.skill;
    this.#expressions = parts.expressions;
    this.#source = parts.source;
  }

  /** Strings in it are text or jq, as they look. */
  async template(value: Template, spot: Spot): Promise<Program> {
    return this.#compile(spot, (scope) => this.#expressions.compile(value, scope));
  }

  async optional(value: Template | undefined, spot: Spot): Promise<Program | null> {
    return value === undefined ? null : this.template(value, spot);
  }

  /** Always jq. */
  async expression(value: string, spot: Spot): Promise<Program> {
    return this.#compile(spot, (scope) => this.#expressions.compileExpression(value, scope));
  }

  async optionalExpression(value: string | undefined, spot: Spot): Promise<Program | null> {
    return value === undefined ? null : this.expression(value, spot);
  }

  /** Runs what compiles on its own account, such as a connection. Undefined where it failed. */
  async gather<T>(path: Path, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      const field = error instanceof ExpressionError ? error.field : undefined;
      const at = field === undefined ? this.#source.at(path) : this.#source.atField([], field);
      this.#add("error", at, error.message.replace(`${this.skill} `, ""), error.hint);
      return undefined;
    }
  }

  error(path: Path, message: string, hint?: string): void {
    this.#add("error", this.#source.at(path), message, hint);
  }

  warn(path: Path, message: string, hint?: string): void {
    this.#add("warning", this.#source.at(path), message, hint);
  }

  /** How much was found so far, for `excuse`. */
  mark(): number {
    return this.problems.length;
  }

  /** Makes warnings of the errors since a mark, because the part they are about is left out. Says whether there were any. */
  excuse(mark: number, part: string): boolean {
    let any = false;
    for (const [index, problem] of this.problems.entries()) {
      if (index < mark || problem.severity !== "error") continue;
      any = true;
      this.#errors--;
      const message = `${part} is left out: ${problem.message}`;
      this.problems[index] = { ...problem, severity: "warning", message };
    }
    return any;
  }

  async #compile(
    { path, roots }: Spot,
    work: (scope: Parameters<Expressions["compile"]>[1]) => Promise<Program>,
  ) {
    const [area, operation, ...rest] = path.map(String);
    const where =
      area === "operations"
        ? { skill: this.skill, operation, field: fieldOf(rest) }
        : { skill: this.skill, field: fieldOf(path) };
    const base = area === "operations" ? path.slice(0, 2) : [];
    const empty = () => this.#expressions.compile(null, { where, roots });
    if (this.#errors >= MOST_ERRORS) return empty();
    if (this.#spentMs > LONGEST_MS) {
      this.error(path, "the skill's expressions take too long to compile");
      this.#errors = MOST_ERRORS;
      return empty();
    }
    const started = performance.now();
    try {
      const program = await work({ where, roots });
      for (const { field, reason } of program.warnings) {
        const message = `begins like jq and is taken as text: ${reason}`;
        this.#add(
          "warning",
          this.#source.atField(base, field),
          message,
          "Text that begins like jq is written '\"…\"'.",
        );
      }
      return program;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#report(error, base);
      return await empty();
    } finally {
      this.#spentMs += performance.now() - started;
    }
  }

  #report(error: ExpressionError, base: Path): void {
    const at = this.#source.atField(base, error.field ?? "");
    this.#add("error", at, error.message.replace(`${this.skill} `, ""), error.hint);
  }

  #add(severity: Problem["severity"], at: Place, message: string, hint?: string): void {
    const file = this.#source.file;
    if (severity === "error") this.#errors++;
    this.problems.push({ severity, message, file, ...at, ...(hint === undefined ? {} : { hint }) });
  }
}

/** As the expressions name fields: `steps[0].rest.url`. */
function fieldOf(path: Path): string {
  return path
    .map((step, index) => (/^\d+$/.test(String(step)) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join("");
}
