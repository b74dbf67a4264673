import { createHash } from "node:crypto";
import { bodyBytes, type Exchange } from "./cassette.ts";

/** What makes two requests the same one. A mask that was read from an answer and sent on may come back escaped. */
export function matchKey({ method, url, body }: Exchange["request"]): string {
  const hash = createHash("sha256").update(body === undefined ? "" : bodyBytes(body));
  return [method.toUpperCase(), url.replaceAll(/%5Bredacted%5D/gi, "[redacted]"), hash.digest("hex")].join(
    " ",
  );
}
