import { z } from "zod";
import { type Clock, DeputyError } from "../kernel/index.ts";
import { postJson } from "./carrier.ts";
import { codeScalar } from "./pairing-code.ts";
import { createKeys, openIntroduction, pinPeer, sealIntroduction, speaksOurs } from "./introduction.ts";
import { type Peer, VERSIONS } from "./peer.ts";
import { PAIRING_NAMES, type Self } from "./pairing-desk.ts";
import type { Road } from "./road.ts";

interface PairWith {
  readonly url: string;
  /** As it was typed. */
  readonly code: string;
  readonly self: Self;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly road?: Road;
}

const started = z.object({ run: z.int(), share: z.string().max(4096) });
const confirmed = z.object({ confirmation: z.string().max(4096), box: z.string().max(4096) });
const refused = z.object({ error: z.object({ code: z.string() }) });

/** The side that types the code. The other side proves that it knows it too before anything it says is believed. */
export async function pairWith({ url, code, self, clock, signal, road }: PairWith): Promise<Peer> {
  const { startSpake2 } = await import("./spake2.ts");
  const spake2 = startSpake2("A", await codeScalar(code), PAIRING_NAMES);
  const ask = async (message: object) => {
    const answer = await postJson(new URL("/pair", url), message, { signal, road });
    if (answer.status !== 200) throw whyNot(answer.body);
    return answer.body;
  };
  const first = started.safeParse(await ask({ v: 1, share: spake2.share.toString("base64url") }));
  const keys = first.success ? spake2.finish(Buffer.from(first.data.share, "base64url")) : undefined;
  if (!first.success || keys === undefined) throw notADeputy();
  const own = createKeys();
  const box = sealIntroduction(keys.shared, "A", { ...self, key: own.ownPublic, versions: VERSIONS });
  const confirmation = keys.confirmation.toString("base64url");
  const second = confirmed.safeParse(await ask({ v: 1, run: first.data.run, confirmation, box }));
  if (!second.success) throw notADeputy();
  if (!keys.confirms(Buffer.from(second.data.confirmation, "base64url"))) throw wrongCode();
  const told = openIntroduction(keys.shared, "B", second.data.box);
  if (told === undefined || told.role === self.role || !speaksOurs(told)) throw notADeputy();
  const there = new URL(url).origin;
  return pinPeer({ shared: keys.shared, side: "A", own, told, url: there, now: clock.now() });
}

function whyNot(body: unknown): DeputyError {
  const parsed = refused.safeParse(body);
  switch (parsed.success ? parsed.data.error.code : "") {
    case "WRONG_CODE":
      return wrongCode();
    case "NOT_PAIRING":
      return new DeputyError("NOT_FOUND", "The other machine is not waiting to be paired", {
        hint: "Start deputy pair there first; its code is good for ten minutes.",
      });
    case "SAME_ROLE":
      return new DeputyError("CONFLICT", "Both machines have the same role", {
        hint: "One is --as source (it sends), the other --as sink (it receives).",
      });
    case "SLOW_DOWN":
      return new DeputyError("TIMEOUT", "The other machine is being asked too often", {
        hint: "Wait a few seconds and try again.",
      });
    case "OTHER_VERSION":
      return new DeputyError("UNSUPPORTED", "The two machines share no version of the protocol", {
        hint: "Update the older Deputy.",
      });
    default:
      return notADeputy();
  }
}

function wrongCode(): DeputyError {
  return new DeputyError("DENIED", "The code is not the one the other machine shows", {
    hint: "Type it again. After five wrong ones that pairing ends.",
  });
}

function notADeputy(): DeputyError {
  return new DeputyError("PROTOCOL", "What answers there is not a Deputy that pairs", {
    hint: "Check the address, and that deputy pair waits there.",
  });
}
