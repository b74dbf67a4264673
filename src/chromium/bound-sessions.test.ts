import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ForeignDatabase } from "../platform/index.ts";
import { readBoundCookies } from "./index.ts";

/** A field of a protocol buffer, length-delimited. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  assert.ok(bytes.length < 16_384);
  return Buffer.concat([
    Buffer.from([(number << 3) | 2, (bytes.length & 127) | 128, bytes.length >> 7]),
    bytes,
  ]);
}

test("readBoundCookies finds the cookies of device bound sessions, and passes over what is damaged", () => {
  const craving = Buffer.concat([
    field(1, "auth"),
    field(2, ".example.com"),
    field(3, "/"),
    Buffer.from([0x20, 1]),
  ]);
  const session = Buffer.concat([field(1, "id"), field(2, "https://example.com/refresh"), field(7, craving)]);
  const sessions = field(1, Buffer.concat([field(1, "id"), field(2, session)]));
  using folder = temporaryFolder("bound");
  const path = join(folder.path, "Device Bound Sessions");
  {
    using db = new DatabaseSync(path);
    // As Chromium 156 makes it.
    db.exec("CREATE TABLE dbsc_session_tbl ( key TEXT, proto BLOB, PRIMARY KEY(key))");
    const insert = db.prepare("INSERT INTO dbsc_session_tbl VALUES (?, ?)");
    insert.run("https://example.com", sessions);
    insert.run("https://cut.example", sessions.subarray(0, -3));
    insert.run("https://noise.example", Buffer.alloc(300, 0xff));
    insert.run(null, "text");
  }
  using db = ForeignDatabase.inPlace(path);
  assert.deepEqual(readBoundCookies(db), [
    { site: "https://example.com", name: "auth", domain: ".example.com", path: "/" },
  ]);
});
