import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { VERSIONS } from "./peer.ts";
import type { Road } from "./road.ts";

export type Probe =
  | {
      readonly kind: "answers";
      /** Whether it speaks a version of the protocol that this Deputy does. */
      readonly speaksOurs: boolean;
      /** Milliseconds its clock is ahead of ours, to the second; undefined where it does not tell the time. */
      readonly ahead: number | undefined;
    }
  | { readonly kind: "silent"; readonly why: string };

const PATIENCE_MS = 3_000;
const LARGEST = 4_096;

/** Whether a sink lives at an address. Nothing of ours is told, and nothing it says is believed beyond this. */
export function probePeer(url: string, road: Road, now: () => number): Promise<Probe> {
  const { promise, resolve } = Promise.withResolvers<Probe>();
  const secure = url.startsWith("https:");
  const outgoing = (secure ? overHttps : overHttp)(
    new URL("/healthz", url),
    {
      signal: AbortSignal.timeout(PATIENCE_MS),
      lookup: road.lookup,
      ...(secure && road.agent !== undefined ? { agent: road.agent } : { agent: false }),
    },
    (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        if (text.length < LARGEST) text += chunk;
      });
      answer.on("error", (error) => resolve({ kind: "silent", why: error.message }));
      answer.on("end", () => {
        const versions = versionsIn(text);
        if (versions === undefined) return resolve({ kind: "silent", why: "another program answers there" });
        const time = Date.parse(answer.headers.date ?? "");
        const ahead = Number.isNaN(time) ? undefined : time - now();
        const speaksOurs = VERSIONS.some((version) => versions.includes(version));
        return resolve({ kind: "answers", speaksOurs, ahead });
      });
    },
  );
  outgoing.on("error", (error) => {
    const why = "code" in error && typeof error.code === "string" ? error.code : error.message;
    resolve({ kind: "silent", why: error.name === "TimeoutError" ? "no answer" : why });
  });
  outgoing.end();
  return promise;
}

function versionsIn(text: string): unknown[] | undefined {
  try {
    const { ok, versions } = JSON.parse(text) as { ok?: unknown; versions?: unknown };
    return ok === true && Array.isArray(versions) ? versions : undefined;
  } catch {
    return undefined;
  }
}
