import { z } from "zod";
import { type Clock, DeputyError } from "../kernel/index.ts";
import { createCode, codeScalar } from "./pairing-code.ts";
import {
  createKeys,
  type Introduction,
  openIntroduction,
  pinPeer,
  sealIntroduction,
  speaksOurs,
} from "./introduction.ts";
import { type Peer, VERSIONS } from "./peer.ts";
import type { Spake2 } from "./spake2.ts";

export type Self = Pick<Introduction, "name" | "role" | "url">;

export interface DeskAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface DeskOptions {
  readonly self: Self;
  readonly clock: Clock;
  /** Keeps the peer, before it is told that it was taken. */
  readonly keep: (peer: Peer) => Promise<void>;
}

export const PAIRING_NAMES = { A: "deputy pair v1 typing", B: "deputy pair v1 showing" };
export const PAIRING_MS = 10 * 60_000;
const MOST_GUESSES = 5;
const MOST_RUNS = 8;
const BETWEEN_GUESSES_MS = 1_000;
const BETWEEN_STARTS_MS = 100;

const text = z.string().max(4096);
const asked = z.union([
  z.strictObject({ v: z.literal(1), share: text }),
  z.strictObject({ v: z.literal(1), run: z.int(), confirmation: text, box: text }),
]);

/**
 * The side that shows the code. A guess is a confirmation that was wrong: five of them, or ten minutes, and the code
 * is worth nothing. Until a confirmation was right the other side is told nothing it could test a guess on.
 */
export class PairingDesk implements Disposable {
  readonly code: string;
  /** The peer, or why there is none. */
  readonly paired: Promise<Peer>;
  readonly #password: Promise<bigint>;
  readonly #options: DeskOptions;
  readonly #runs = new Map<number, Spake2 & { theirs: Buffer }>();
  readonly #timer: NodeJS.Timeout;
  readonly #settle: PromiseWithResolvers<Peer>;
  #open = true;
  #guesses = 0;
  #lastRun = 0;
  #lastStart = -Infinity;
  #lastGuess = -Infinity;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.code = createCode();
    this.#password = codeScalar(this.code);
    this.#settle = Promise.withResolvers<Peer>();
    this.paired = this.#settle.promise;
    this.paired.catch(() => {}); // whoever waits hears of it
    this.#timer = setTimeout(() => this.#end("TIMEOUT", "Nobody typed the code in time"), PAIRING_MS);
    this.#timer.unref();
  }

  async handle(message: unknown): Promise<DeskAnswer> {
    const parsed = asked.safeParse(message);
    if (!parsed.success) return refusal(400, "PROTOCOL");
    if (!this.#open) return refusal(410, "NOT_PAIRING");
    return "share" in parsed.data ? this.#start(parsed.data.share) : this.#confirm(parsed.data);
  }

  /** Whoever waits is told that it is over. */
  [Symbol.dispose](): void {
    this.#end("CANCELLED", "The pairing was cancelled");
  }

  async #start(share: string): Promise<DeskAnswer> {
    const now = this.#options.clock.now();
    if (now - this.#lastStart < BETWEEN_STARTS_MS) return refusal(429, "SLOW_DOWN");
    this.#lastStart = now;
    const theirs = Buffer.from(share, "base64url");
    const { startSpake2 } = await import("./spake2.ts");
    const run = startSpake2("B", await this.#password, PAIRING_NAMES);
    const id = ++this.#lastRun;
    this.#runs.set(id, { ...run, theirs });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    return { status: 200, body: { v: 1, run: id, share: run.share.toString("base64url") } };
  }

  async #confirm(sent: { run: number; confirmation: string; box: string }): Promise<DeskAnswer> {
    const now = this.#options.clock.now();
    const run = this.#runs.get(sent.run);
    if (run === undefined) return refusal(410, "NOT_PAIRING");
    if (now - this.#lastGuess < BETWEEN_GUESSES_MS) return refusal(429, "SLOW_DOWN");
    this.#runs.delete(sent.run);
    this.#lastGuess = now;
    const keys = run.finish(run.theirs);
    if (keys === undefined || !keys.confirms(Buffer.from(sent.confirmation, "base64url"))) {
      this.#guesses++;
      const left = MOST_GUESSES - this.#guesses;
      if (left <= 0) this.#end("DENIED", "The code was guessed wrong too often");
      return refusal(403, "WRONG_CODE", { left });
    }
    const told = openIntroduction(keys.shared, "A", sent.box);
    if (told === undefined) return refusal(400, "PROTOCOL");
    const { self, clock } = this.#options;
    if (told.role === self.role) return refusal(409, "SAME_ROLE");
    if (!speaksOurs(told)) return refusal(409, "OTHER_VERSION", { versions: VERSIONS });
    const own = createKeys();
    const peer = pinPeer({ shared: keys.shared, side: "B", own, told, url: null, now: clock.now() });
    this.#open = false;
    clearTimeout(this.#timer);
    try {
      await this.#options.keep(peer);
    } catch (error) {
      this.#settle.reject(error);
      throw error;
    }
    this.#settle.resolve(peer);
    const box = sealIntroduction(keys.shared, "B", { ...self, key: own.ownPublic, versions: VERSIONS });
    return { status: 200, body: { v: 1, confirmation: keys.confirmation.toString("base64url"), box } };
  }

  #end(code: "TIMEOUT" | "DENIED" | "CANCELLED", message: string): void {
    clearTimeout(this.#timer);
    if (!this.#open) return;
    this.#open = false;
    this.#settle.reject(
      new DeputyError(code, message, { hint: "Start deputy pair again, on both machines." }),
    );
  }
}

function refusal(status: number, code: string, more: Record<string, unknown> = {}): DeskAnswer {
  return { status, body: { error: { code, ...more } } };
}
