import { isatty } from "node:tty";
import { isCalledByAgent } from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";

/** Asks on the terminal without showing what is typed. Questions go to stderr: stdout is for answers. */
export async function askHidden(question: string): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password({ message: question, output: process.stderr });
  if (isCancel(answer)) throw new DeputyError("CANCELLED", "Nothing was changed");
  return answer ?? "";
}

/** Asks on the terminal; `fallback` is what an empty line means. */
export async function ask(question: string, fallback = ""): Promise<string> {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message: question, defaultValue: fallback, output: process.stderr });
  if (isCancel(answer)) throw new DeputyError("CANCELLED", "Nothing was changed");
  return answer ?? fallback;
}

/** The next line typed while something else is under way; undefined when that is over. */
export async function askLine(signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin });
  try {
    return await lines.question("", { signal });
  } catch {
    return undefined;
  } finally {
    lines.close();
  }
}

const TRIES = 3;

/** Twice, since nobody sees what they typed. */
export async function askNewPassphrase(): Promise<string> {
  for (let tries = 0; tries < TRIES; tries++) {
    const question = tries === 0 ? "New passphrase" : "The two differed. New passphrase";
    const first = await askHidden(question);
    if ((await askHidden("The same again")) === first) return first;
  }
  throw new DeputyError("BAD_INPUT", "The two passphrases differ", {
    hint: "Nothing was changed. Try again.",
  });
}

export async function choose<T extends string>(
  question: string,
  options: readonly { value: T; label: string; hint?: string }[],
): Promise<T> {
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select<string>({ message: question, options: [...options], output: process.stderr });
  if (isCancel(answer)) throw new DeputyError("CANCELLED", "Nothing was changed");
  return answer as T;
}

/** More than this many are looked for by typing. */
const MOST_SEEN = 12;

/** Any number of them, none chosen beforehand. */
export async function chooseMany(
  question: string,
  options: readonly { value: string; label: string; hint?: string }[],
): Promise<string[]> {
  const { autocompleteMultiselect, isCancel, multiselect } = await import("@clack/prompts");
  const common = { message: question, maxItems: MOST_SEEN, required: false, output: process.stderr };
  const answer =
    options.length > MOST_SEEN
      ? await autocompleteMultiselect<string>({
          ...common,
          options: [...options],
          placeholder: "type to search",
        })
      : await multiselect<string>({ ...common, options });
  if (isCancel(answer)) throw new DeputyError("CANCELLED", "Nothing was changed");
  return answer;
}

/** Whether there is a person to ask. An agent that runs a command on a terminal of its own is not one. */
export function isInteractive(): boolean {
  return isatty(0) && isatty(2) && !isCalledByAgent();
}

/** Throws DENIED where an agent would be waited for to type. */
export function requirePerson(): void {
  if (!isCalledByAgent()) return;
  throw new DeputyError("DENIED", "Nobody is asked at the terminal of an agent", {
    hint: "Run it in a terminal of your own, outside of any agent. What an agent may give comes through a pipe.",
  });
}
