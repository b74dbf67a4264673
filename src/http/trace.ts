import type { Answer } from "./exchange.ts";
import type { HeaderPair, Hop } from "./hop.ts";
import type { Mask } from "./mask.ts";

/** One hop as it went over the wire, for the person who asks what Deputy sends: without a single credential. */
export interface TracedHop {
  readonly method: string;
  readonly url: string;
  readonly sent: readonly HeaderPair[];
  readonly status: number;
  /** Set-Cookie included, its value left out. */
  readonly received: readonly HeaderPair[];
}

export type Trace = (hop: TracedHop) => void;

const HIDDEN = "[redacted]";

export function traceHop(trace: Trace, dressed: Omit<Hop, "site">, answer: Answer, mask: Mask): void {
  const masked = ([name, value]: HeaderPair): HeaderPair => [name, mask.text(value)];
  const cookies = answer.setCookies.map((header): HeaderPair => ["set-cookie", hideFirstValue(header)]);
  trace({
    method: dressed.method,
    url: mask.url(dressed.url),
    sent: dressed.headers.map(([name, value]) =>
      name.toLowerCase() === "cookie" ? [name, hideValues(value)] : masked([name, value]),
    ),
    status: answer.status,
    received: [...answer.headers.map(masked), ...cookies],
  });
}

/** Every cookie's value, also those too short to be masked in a page. */
function hideValues(header: string): string {
  return header.split(/; ?/).map(hideFirstValue).join("; ");
}

function hideFirstValue(pair: string): string {
  return pair.replace(/^([^=;]*)=[^;]*/, `$1=${HIDDEN}`);
}
