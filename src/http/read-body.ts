import { DeputyError } from "../kernel/index.ts";
import type { InResponse } from "./in-response.ts";

/** The whole body; TOO_LARGE beyond `maxBytes`, and the transfer ends there. */
export async function readBytes({ body }: Pick<InResponse, "body">, maxBytes = Infinity): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(limited(body, maxBytes)));
}

export async function readText(response: Pick<InResponse, "body">, maxBytes?: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, maxBytes));
}

export async function readJson(response: Pick<InResponse, "body">, maxBytes?: number): Promise<unknown> {
  const text = await readText(response, maxBytes);
  try {
    return JSON.parse(text);
  } catch {
    // The parser quotes what it stumbled over: it stays here.
    throw new DeputyError("PROTOCOL", "Cannot read the answer: it is not JSON", {
      hint: "It may be a page to log in at, or one that says what went wrong: look at it as text.",
    });
  }
}

/** Passes at most `maxBytes` on. Counted after decompression: a small transfer can hold any amount. */
export async function* limited(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > maxBytes) {
      throw new DeputyError("TOO_LARGE", `The answer is larger than ${maxBytes} bytes`, {
        hint: "Ask for less, or raise maxBytes",
      });
    }
    yield chunk;
  }
}
