import { statSync } from "node:fs";
import { join } from "node:path";
import type { Unlabelled } from "../cookies/index.ts";
import { firefoxCookie } from "./firefox-cookie.ts";
import { decompressMozLz4 } from "./moz-lz4.ts";
import { type OriginAttributes, originAttributes } from "./origin-attributes.ts";
import { asObject, findSmallFile } from "./small-file.ts";

interface SessionCookie {
  readonly hostKey: string;
  readonly attributes: OriginAttributes;
  readonly cookie: Unlabelled;
}

type SessionCookies =
  | { readonly kind: "read"; readonly cookies: SessionCookie[] }
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly path: string };

/** Written when Firefox closes; while it runs, every 15 seconds; the one before that. */
const FILES = [
  "sessionstore.jsonlz4",
  "sessionstore-backups/recovery.jsonlz4",
  "sessionstore-backups/recovery.baklz4",
];

interface SessionFile {
  readonly path: string;
  /** When it was written, in milliseconds. */
  readonly time: number;
  readonly stamp: string;
}

/** The files of a profile's session store that exist, newest first. */
export function sessionFiles(profile: string): SessionFile[] {
  return FILES.map((file) => join(profile, file))
    .flatMap((path): SessionFile[] => {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (stat === undefined) return [];
      return [{ path, time: Number(stat.mtimeMs), stamp: `${stat.ino}:${stat.size}:${stat.mtimeNs}` }];
    })
    .sort((a, b) => b.time - a.time);
}

/** Cookies that end with the session: Firefox keeps them with its windows and tabs, never in the database. */
export function readSessionCookies(profile: string): SessionCookies {
  const files = sessionFiles(profile);
  for (const { path, time } of files) {
    const session = parse(findSmallFile(path));
    if (session === undefined) continue;
    const listed = Array.isArray(session["cookies"]) ? session["cookies"] : [];
    const at = Number(asObject(session["session"])?.["lastUpdate"] ?? 0) || time;
    return {
      kind: "read",
      cookies: listed.flatMap((entry: unknown) => sessionCookie(entry, Math.floor(at))),
    };
  }
  return files[0] === undefined ? { kind: "none" } : { kind: "unreadable", path: files[0].path };
}

function parse(file: Buffer | undefined): Readonly<Record<string, unknown>> | undefined {
  const text = file === undefined ? undefined : decompressMozLz4(file);
  try {
    return text === undefined ? undefined : asObject(JSON.parse(text.toString("utf8")));
  } catch {
    return undefined;
  } finally {
    text?.fill(0);
  }
}

function sessionCookie(entry: unknown, at: number): SessionCookie[] {
  const fields = asObject(entry);
  if (fields === undefined) return [];
  const attributes = originAttributes(asObject(fields["originAttributes"]) ?? {});
  const cookie = firefoxCookie(
    {
      // Empty ones are left out of the file.
      name: fields["name"] ?? "",
      value: fields["value"] ?? "",
      host: fields["host"],
      path: fields["path"] ?? "/",
      secure: fields["secure"] === true,
      httpOnly: fields["httponly"] === true,
      sameSite: Number(fields["sameSite"] ?? 256),
      schemeMap: Number(fields["schemeMap"] ?? 0),
      expires: null,
      // The store has no times of its own.
      created: at,
      updated: at,
    },
    attributes,
  );
  return cookie === undefined ? [] : [{ hostKey: String(fields["host"]), attributes, cookie }];
}
