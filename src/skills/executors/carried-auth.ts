import { type Loan, secretTexts } from "../../auth/index.ts";
import { ExpressionError, type Program, readsRoot } from "../../expressions/index.ts";
import { DeputyError, type Secret } from "../../kernel/index.ts";
import type { Execution } from "../run/execution.ts";
import { decoyOf } from "./decoy.ts";
import { evaluateAll, isObject, nameOf } from "./evaluate.ts";

/** Templates, and what they came to with the login. */
interface Template {
  readonly programs: readonly (Program | null)[];
  readonly values: readonly unknown[];
  readonly auth: Readonly<Record<string, unknown>>;
}

/** What templates wrote of the login. */
export interface Carried {
  /** Whether there is any of it, however it was encoded, cut or compared on the way. */
  readonly any: boolean;
  /** The texts that it is in. */
  readonly texts: readonly Secret[];
}

const NOTHING: Carried = { any: false, texts: [] };
/** Shorter texts and numbers cannot be masked in an answer, and enough of them are the login. */
const SHORTEST = 4;
const MOST_SMALL = 4;

/** What of a login a request carries; DENIED where that would go to a host it is not for. */
export async function checkCarrying(
  execution: Execution,
  loan: Loan,
  template: Template & { readonly url: string },
): Promise<Carried> {
  const carried = await findCarried(execution, template);
  if (carried.any && !loan.mayCarry(template.url)) throw deniedCarrying(execution, hostOf(template.url));
  return carried;
}

/** Compares what the programs come to with what they come to with another login. */
export async function findCarried(
  execution: Execution,
  { programs, values, auth }: Template,
): Promise<Carried> {
  if (Object.keys(auth).length === 0) return NOTHING;
  const reading = programs.map((program) =>
    program !== null && readsRoot(program, "auth") ? program : null,
  );
  if (reading.every((program) => program === null)) return NOTHING;
  const read = values.filter((_, at) => reading[at] !== null);
  const others = await withAnother(execution, reading, auth);
  const leaves = read.flatMap((value, at) => differing(value, others?.[at]));
  const small = leaves.filter((leaf) => typeof leaf !== "string" || leaf.length < SHORTEST);
  if (small.length > MOST_SMALL) {
    throw new DeputyError("DENIED", `${nameOf(execution)}: it writes the login in small pieces`, {
      hint: `At most ${MOST_SMALL} numbers or texts of less than ${SHORTEST} characters are made of it.`,
    });
  }
  return { any: leaves.length > 0, texts: secretTexts(leaves) };
}

/** Undefined where they fail: with the login itself they did not. */
async function withAnother(
  execution: Execution,
  reading: readonly (Program | null)[],
  auth: Template["auth"],
): Promise<unknown[] | undefined> {
  try {
    const decoy = decoyOf(auth) as Template["auth"];
    const values = await evaluateAll(execution, reading, decoy);
    return values.filter((_, at) => reading[at] !== null);
  } catch (error) {
    if (error instanceof ExpressionError && error.code === "BAD_INPUT") return undefined;
    throw error;
  }
}

/** The leaves of a value, and names in it, that are not there in the other; of a long text the part that differs. */
function differing(value: unknown, other: unknown): unknown[] {
  if (Array.isArray(value)) {
    const others = Array.isArray(other) ? other : [];
    return value.flatMap((one, at) => differing(one, others[at]));
  }
  if (isObject(value)) {
    const others = isObject(other) ? other : {};
    return Object.entries(value).flatMap(([name, one]) => [
      ...(Object.hasOwn(others, name) ? [] : [name]),
      ...differing(one, others[name]),
    ]);
  }
  if (value === other || value === null) return [];
  const part = typeof value === "string" && typeof other === "string" ? between(value, other) : "";
  return [part.length < SHORTEST ? value : part];
}

/** Without what both begin and end with. */
function between(value: string, other: string): string {
  let from = 0;
  while (from < value.length && value[from] === other[from]) from++;
  let end = 0;
  while (end < value.length - from && value.at(-1 - end) === other.at(-1 - end)) end++;
  return value.slice(from, value.length - end);
}

function deniedCarrying(execution: Execution, host: string): DeputyError {
  return new DeputyError(
    "DENIED",
    `${nameOf(execution)}: the login may not be sent to ${host}, which its connection does not cover`,
    { hint: "List the host under `hosts:` of the connection; the owner is asked again then." },
  );
}

/** Without user name, path or query: those may hold the login. */
function hostOf(url: string): string {
  return URL.canParse(url, "https://-") ? new URL(url, "https://-").host : "there";
}
