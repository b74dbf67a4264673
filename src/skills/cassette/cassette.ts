import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";

const body = z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.base64() })]);
const exchange = z.strictObject({
  request: z.strictObject({ method: z.string(), url: z.string(), body: body.exactOptional() }),
  response: z.strictObject({
    status: z.int(),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body,
  }),
});
const form = z.strictObject({
  format: z.literal(1),
  skill: z.string(),
  operations: z.record(
    z.string(),
    z.strictObject({
      recorded_at: z.string(),
      logins: z.record(z.string(), z.union([z.array(z.string()), z.null()])),
      exchanges: z.array(exchange),
    }),
  ),
});

/**
 * What a skill and its services said to each other, operation by operation: without headers of requests, without
 * cookies, every secret of the logins used replaced.
 */
export type Cassette = z.output<typeof form>;
export type Recording = Cassette["operations"][string];
export type Exchange = Recording["exchanges"][number];
export type KeptBody = Exchange["response"]["body"];

export function readCassette(text: string, path: string): Cassette {
  try {
    return form.parse(JSON.parse(text));
  } catch (cause) {
    throw new DeputyError("BAD_INPUT", `Cannot use ${path}: it is no cassette of this version`, {
      hint: "Record it again with --record.",
      cause,
    });
  }
}

/** Keys in one order, so that recording the same again changes nothing but the times. */
export function writeCassette({ skill, operations }: Cassette): string {
  const sorted = Object.fromEntries(Object.entries(operations).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ format: 1, skill, operations: sorted }, null, 2)}\n`;
}

export function keepBody(bytes: Uint8Array): KeptBody {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

export function bodyBytes(kept: KeptBody): Buffer {
  return "text" in kept ? Buffer.from(kept.text) : Buffer.from(kept.base64, "base64");
}

/** A body as an answer has it, that was there whole. */
export async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
