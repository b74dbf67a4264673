import { hash } from "node:crypto";
import { boundReason, type Cookie, type CookieChange, cookieKey } from "../cookies/index.ts";
import type { Refusal } from "../surfaces/index.ts";
import type { RowChange } from "./message.ts";
import { loginName, type SentLogin } from "./sent-store.ts";
import type { Verdict } from "./sink.ts";

/** A login of this machine that may be sent. */
export interface SourceLogin {
  readonly domain: string;
  readonly identifier: string;
  /** Cheap. Equal means that `read` would give the same again. */
  readonly stamp: string;
  read(): Promise<{
    readonly cookies: readonly Cookie[];
    /** Rows of other kinds the owner opted in to, by type. */
    readonly rows: ReadonlyMap<string, string>;
  }>;
}

export interface PlanOptions {
  readonly logins: readonly SourceLogin[];
  readonly isUnknown: (login: SentLogin) => boolean;
  readonly sent: ReadonlyMap<string, SentLogin>;
  /** Send everything, whatever was sent before. */
  readonly full: boolean;
  readonly allows: (what: { readonly domain: string }) => Verdict;
  readonly deviceBound: boolean;
  readonly now: number;
}

/** A part of a push that fits in one envelope. */
export interface Batch {
  readonly logins: readonly { domain: string; identifier: string; changes: readonly CookieChange[] }[];
  readonly rows: readonly RowChange[];
  /** What the peer holds of these logins once it has taken the batch. */
  readonly after: readonly SentLogin[];
}

export interface Plan {
  readonly batches: readonly Batch[];
  readonly skipped: readonly Refusal[];
}

/** Well below what a sink takes. */
const BATCH_BYTES = 2 * 1024 * 1024;

/** What has to be said so that the peer holds what is here now. */
export async function planPush(options: PlanOptions): Promise<Plan> {
  const skipped: Refusal[] = [];
  const batches = new Batches();
  const here = new Set<string>();
  for (const login of options.logins) {
    const name = loginName(login);
    here.add(name);
    const before = options.sent.get(name);
    if (!options.full && before?.stamp === login.stamp) continue;
    const { cookies, rows } = await login.read();
    const admitted = cookies.filter((cookie) => {
      const reason = whyNot(cookie, options);
      if (reason !== undefined) skipped.push({ name: cookie.name, domain: cookie.domain, reason });
      return reason === undefined;
    });
    const allowedRows = options.allows(login).ok ? rows : new Map<string, string>();
    batches.add(login, admitted, allowedRows, before, options);
  }
  const nothing = new Map<string, string>();
  for (const [name, before] of options.sent) {
    if (!here.has(name) && !options.isUnknown(before))
      batches.add({ ...before, stamp: "" }, [], nothing, before, options);
  }
  return { batches: batches.finish(), skipped };
}

function whyNot(cookie: Cookie, { allows, deviceBound, now }: PlanOptions): string | undefined {
  const verdict = allows(cookie);
  if (!verdict.ok) return verdict.reason;
  if (cookie.expires !== null && cookie.expires <= now) return "expired";
  if (deviceBound || cookie.kind !== "device-bound-suspect") return undefined;
  return boundReason(cookie);
}

interface Draft {
  readonly logins: Batch["logins"][number][];
  readonly rows: RowChange[];
  readonly after: SentLogin[];
  bytes: number;
}

class Batches {
  readonly #done: Draft[] = [];
  #draft: Draft = { logins: [], rows: [], after: [], bytes: 0 };

  /** A login too large for one envelope is told in several; only the last says that it was told whole. */
  add(
    { domain, identifier, stamp }: { domain: string; identifier: string; stamp: string },
    cookies: readonly Cookie[],
    rows: ReadonlyMap<string, string>,
    before: SentLogin | undefined,
    { full, allows, now }: PlanOptions,
  ): void {
    const held = new Map(before?.cookies);
    const heldRows = new Map(before?.rows);
    const here = new Map(cookies.map((cookie) => [cookieKey(cookie), cookie]));
    let changes: CookieChange[] = [];
    let told = 0;
    const close = (whole: boolean) => {
      if (changes.length > 0) this.#draft.logins.push({ domain, identifier, changes });
      changes = [];
      const after = { domain, identifier, cookies: new Map(held), rows: new Map(heldRows) };
      this.#draft.after.push({ ...after, stamp: whole ? stamp : "" });
    };
    const put = (change: CookieChange, bytes: number) => {
      if (this.#draft.bytes + bytes > BATCH_BYTES) {
        close(false);
        this.#next();
      }
      changes.push(change);
      told++;
      this.#draft.bytes += bytes;
    };
    for (const [key, cookie] of here) {
      const hash = hashOf(contentOf(cookie));
      if (!full && held.get(key) === hash) continue;
      put({ kind: "set", cookie }, cookie.value.length + cookie.name.length + 400);
      held.set(key, hash);
    }
    for (const key of held.keys()) {
      if (here.has(key)) continue;
      const identity = identityOf(key);
      if (!allows(identity).ok) continue;
      put({ kind: "delete", at: now, ...identity }, key.length + 100);
      held.delete(key);
    }
    for (const [type, value] of rows) {
      const hash = hashOf(value);
      if (!full && heldRows.get(type) === hash) continue;
      this.#draft.rows.push({ domain, identifier, type, value });
      told++;
      this.#draft.bytes += value.length + 200;
      heldRows.set(type, hash);
    }
    for (const type of heldRows.keys()) {
      if (rows.has(type)) continue;
      this.#draft.rows.push({ domain, identifier, type, value: null });
      told++;
      heldRows.delete(type);
    }
    if (told > 0 || before?.stamp !== stamp) close(true);
  }

  finish(): Batch[] {
    this.#next();
    return this.#done;
  }

  #next(): void {
    if (this.#draft.after.length > 0) this.#done.push(this.#draft);
    this.#draft = { logins: [], rows: [], after: [], bytes: 0 };
  }
}

/** Whatever a cookie says besides its key. When it was made says nothing of what it is now. */
function contentOf(cookie: Cookie): string {
  const { value, expires, secure, httpOnly, sameSite, priority, sourceScheme, sourcePort, updated, kind } =
    cookie;
  return `${expires} ${secure} ${httpOnly} ${sameSite} ${priority} ${sourceScheme} ${sourcePort} ${updated} ${kind} ${value}`;
}

function hashOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}

function identityOf(key: string) {
  const [name, domain, hostOnly, path, partition] = JSON.parse(key) as [
    string,
    string,
    boolean,
    string,
    [string, boolean] | null,
  ];
  const partitionKey =
    partition === null ? null : { topLevelSite: partition[0], crossSiteAncestor: partition[1] };
  return { name, domain, hostOnly, path, partitionKey };
}
