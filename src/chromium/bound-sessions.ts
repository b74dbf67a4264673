import type { ForeignDatabase } from "../platform/index.ts";
import { type Field, readFields } from "./protobuf.ts";

/** A cookie that a site renews only for who holds a key of this device (Device Bound Session Credentials). */
export interface BoundCookie {
  /** The site of the session, such as `https://example.com`. */
  readonly site: string;
  readonly name: string;
  /** As a host key: a leading dot says that it is a domain cookie. */
  readonly domain: string;
  readonly path: string;
}

// net/device_bound_sessions/session_store_impl.cc: kSessionTableName; a row is a site and its serialized sessions.
const TABLE = "dbsc_session_tbl";
const MOST_SITES = 10_000;

// Field numbers of net/device_bound_sessions/proto/storage.proto.
const SITE_SESSIONS = { sessions: 1 };
const MAP_ENTRY = { value: 2 };
const SESSION = { cookieCravings: 7 };
const CRAVING = { name: 1, domain: 2, path: 3 };

/** The cookies bound to this device by the profile's `Device Bound Sessions` store. What is damaged is passed over. */
export function readBoundCookies(db: ForeignDatabase): BoundCookie[] {
  const columns = db.columns(TABLE) ?? [];
  if (!columns.includes("key") || !columns.includes("proto")) return [];
  const bound: BoundCookie[] = [];
  for (const [site, proto] of db.all(`SELECT key, proto FROM ${TABLE} LIMIT ${MOST_SITES}`)) {
    if (typeof site !== "string" || !(proto instanceof Uint8Array)) continue;
    for (const entry of messages(Buffer.from(proto), SITE_SESSIONS.sessions))
      for (const session of messages(entry, MAP_ENTRY.value))
        for (const craving of messages(session, SESSION.cookieCravings)) {
          const fields = readFields(craving) ?? [];
          const name = text(fields, CRAVING.name);
          const domain = text(fields, CRAVING.domain);
          if (name !== undefined && domain !== undefined)
            bound.push({ site, name, domain, path: text(fields, CRAVING.path) ?? "/" });
        }
  }
  return bound;
}

function messages(message: Buffer, number: number): Buffer[] {
  return (readFields(message) ?? []).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );
}

function text(fields: readonly Field[], number: number): string | undefined {
  const value = fields.find((field) => field.number === number)?.value;
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}
