import type { CaptureAnswer } from "../../engine/index.ts";
import { plain } from "./table.ts";

type Exchange = CaptureAnswer["exchanges"][number];
type Body = NonNullable<Exchange["sent"]["body"]>;

/** Bodies are shown so far; JSON and HAR have all of them. */
const SHOWN = 2000;

/** A capture for a person to read: what was sent after >, what came back after <. */
export function captureText({ exchanges, navigations, warnings }: CaptureAnswer): string {
  const wanted = navigations.map(({ url, type, form }) =>
    [
      plain(`The page wanted to go to ${url} (${type})`),
      ...(form ?? []).map(([name, value]) => plain(`  ${name}=${value}`)),
    ].join("\n"),
  );
  const end = `${exchanges.length} requests${warnings.map((one) => `; ${one}`).join("")}`;
  return [...exchanges.map(inWords), ...wanted, plain(end)].join("\n\n");
}

function inWords(one: Exchange): string {
  const { sent, received, frames } = one;
  const took = one.duration_ms === null ? "" : ` ${Math.round(one.duration_ms)} ms`;
  const lines = [
    plain(`${one.method} ${one.url}  (${one.type})`),
    ...sent.headers.map(([name, value]) => plain(`> ${name}: ${value}`)),
    ...bodyLines(">", sent.body),
  ];
  if (received !== null) {
    const { status, reason, protocol, headers, body } = received;
    lines.push(
      plain(`< ${protocol} ${status} ${reason}${took}`),
      ...headers.map(([name, value]) => plain(`< ${name}: ${value}`)),
      ...bodyLines("<", body),
    );
  }
  if (one.error !== null) lines.push(plain(`! ${one.error}`));
  for (const { from, body } of frames) lines.push(...bodyLines(from === "page" ? ">>" : "<<", body));
  return lines.join("\n");
}

function bodyLines(mark: string, body: Body | null): string[] {
  if (body === null || body.text === "") return [];
  if (body.base64) return [`${mark} (${Math.floor((body.text.length * 3) / 4)} bytes that are no text)`];
  const more = body.text.length - SHOWN;
  const lines = body.text.slice(0, SHOWN).split("\n");
  const rest = more > 0 || body.cut ? [`${mark} (${Math.max(more, 0)} more characters)`] : [];
  return [...lines.map((line) => `${mark} ${plain(line)}`), ...rest];
}
