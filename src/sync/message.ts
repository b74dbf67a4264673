import { z } from "zod";
import { type CookieChange, parseCookie } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { rowKey } from "../vault/index.ts";
import type { Told } from "./peer.ts";

/** What changed of one login. */
export interface LoginChanges {
  readonly domain: string;
  readonly identifier: string;
  readonly changes: readonly CookieChange[];
}

/** A row of another kind, as it is in the vault; null: it is gone. */
export interface RowChange {
  readonly domain: string;
  readonly identifier: string;
  readonly type: string;
  readonly value: string | null;
}

/** What an envelope carries. */
export interface Message {
  readonly v: 1;
  /** The state of ours this is a change of; null: everything there is. */
  readonly base: string | null;
  /** The state it leads to. */
  readonly next: string;
  readonly logins: readonly LoginChanges[];
  readonly rows: readonly RowChange[];
  readonly from?: Told | undefined;
}

/** Also of answers. */
export const told = z.object({ version: z.string().max(64), now: z.number() }).optional();

const state = z.string().regex(/^[\w-]{16}$/);
const place = { domain: z.string().max(255), identifier: z.string().max(512) };
const gone = z.strictObject({
  kind: z.literal("delete"),
  at: z.number().min(0).max(8.64e15),
  name: z.string().max(4096),
  domain: z.string().max(255),
  hostOnly: z.boolean(),
  path: z.string().startsWith("/").max(4096),
  partitionKey: z
    .strictObject({ topLevelSite: z.string().max(2048), crossSiteAncestor: z.boolean() })
    .nullable(),
});
/** Each change is looked at when it is read. */
const isList = (value: unknown) => Array.isArray(value) && value.length <= 100_000;
const envelope = z.strictObject({
  v: z.literal(1),
  base: state.nullable(),
  next: state,
  logins: z.array(z.strictObject({ ...place, changes: z.custom<unknown[]>(isList) })).max(100_000),
  rows: z
    .array(z.strictObject({ ...place, type: z.string().max(64), value: z.string().nullable() }))
    .max(10_000),
  from: told,
});

export function writeMessage(message: Message): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** Undefined for what is not a message; a part that is wrong makes all of it wrong. No time is later than `now`. */
export function readMessage(bytes: Buffer, now: number): Message | undefined {
  try {
    const { logins, rows, ...rest } = envelope.parse(JSON.parse(bytes.toString()));
    return {
      ...rest,
      logins: logins.map((login) => ({
        ...keyOf(login, "cookies"),
        changes: login.changes.map((change) => readChange(change, now)),
      })),
      rows: rows.map((row) => ({ ...keyOf(row, row.type), type: row.type, value: row.value })),
    };
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError || error instanceof DeputyError)
      return undefined;
    throw error;
  }
}

/** A name another machine chose becomes the key of a row: it must be one already, not merely be made into one. */
function keyOf(given: { domain: string; identifier: string }, type: string) {
  const { domain, identifier } = rowKey(given.domain, given.identifier, type);
  if (domain !== given.domain || identifier !== given.identifier)
    throw new DeputyError("BAD_INPUT", "A name is not in the form rows have");
  return { domain, identifier };
}

/** A time ahead of ours would win over everything that really happens until then. */
function readChange(change: unknown, now: number): CookieChange {
  const isSet =
    typeof change === "object" &&
    change !== null &&
    "kind" in change &&
    change.kind === "set" &&
    "cookie" in change;
  if (!isSet) {
    const deletion = gone.parse(change);
    return { ...deletion, at: Math.min(deletion.at, now) };
  }
  const cookie = parseCookie(change.cookie, { now });
  const inTime = cookie.created <= now && cookie.updated <= now;
  const { created, updated } = cookie;
  return {
    kind: "set",
    cookie: inTime ? cookie : { ...cookie, created: Math.min(created, now), updated: Math.min(updated, now) },
  };
}
