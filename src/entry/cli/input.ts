import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { DeputyError } from "../../kernel/index.ts";
import { requirePerson } from "./prompt.ts";

/** More than any login, less than would hurt. The engine has the exact limit. */
const LARGEST_INPUT = 8 * 1024 * 1024;

/** Standard input as JSON. */
export async function readJson(): Promise<unknown> {
  const text = await readAll(process.stdin);
  if (text.trim() === "") {
    throw new DeputyError("BAD_INPUT", "Standard input is empty", {
      hint: 'The value comes on standard input: echo \'{"key": "…"}\' | deputy vault set exa.ai me --type api_key',
    });
  }
  return parseJson(text);
}

/** Standard input as it is, without the line end it closes with. */
export async function readText(): Promise<string> {
  return (await readAll(process.stdin)).replace(/\r?\n$/, "");
}

/** A key on standard input: as it is, or as JSON where more belongs to it. */
export async function readKeyOrJson(what: string): Promise<Record<string, string>> {
  const given = (await readAll(process.stdin)).trim();
  if (given === "") {
    throw new DeputyError("BAD_USAGE", `The ${what} is needed, and there is no terminal to ask on`, {
      hint: "Run it in a terminal, or hand it over on standard input.",
    });
  }
  if (!given.startsWith("{")) return { key: given };
  const values = parseJson(given);
  const usable =
    typeof values === "object" &&
    values !== null &&
    Object.values(values).every((value) => typeof value === "string");
  if (usable) return values as Record<string, string>;
  throw new DeputyError("BAD_INPUT", `The ${what} is not right`, { hint: 'It looks like {"key": "…"}.' });
}

/** What is wrong is told by its place: the parser's own words would quote a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    const where = position === undefined ? "" : ` (at character ${position})`;
    throw new DeputyError("BAD_INPUT", `The value is not JSON${where}`, {
      hint: 'It looks like {"key": "…"}, with double quotes.',
    });
  }
}

/** The first line of an open descriptor: how scripts hand over a passphrase. */
export async function readLineFrom(fd: number): Promise<string> {
  if (isatty(fd)) requirePerson();
  try {
    return (await readAll(createReadStream("", { fd }))).split(/\r?\n/)[0] ?? "";
  } catch (error) {
    if (error instanceof DeputyError) throw error;
    throw new DeputyError(
      "BAD_USAGE",
      `Cannot read the passphrase: descriptor ${fd} is not open for reading`,
      {
        hint: "For example: deputy vault unlock --passphrase-fd 3 3< passphrase.txt",
        cause: error,
      },
    );
  }
}

async function readAll(stream: Readable & { readonly isTTY?: boolean }): Promise<string> {
  if (stream.isTTY === true) requirePerson();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_INPUT) {
      throw new DeputyError("TOO_LARGE", `The input is too large: at most ${LARGEST_INPUT} bytes`, {
        hint: "Is it a login at all? Nothing was changed.",
      });
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)); // drops a byte-order mark too
  } catch {
    throw new DeputyError("BAD_INPUT", "The input is not UTF-8 text", {
      hint: "Nothing was changed. Was it saved in another encoding?",
    });
  }
}
