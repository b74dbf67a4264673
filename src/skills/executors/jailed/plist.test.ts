import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { missing } from "../../../../test/support/fault-form.ts";
import { noJail, TestSkill } from "../../../../test/support/test-skill.ts";
import { parsePlist } from "./plist.ts";
import { Unusable } from "./task.ts";

const skip = missing("python3");

const SAMPLE = `{
  "text": "hällo <&> ☃ 😀", "long": "x" * 300, "yes": True, "no": False, "int": 42, "minus": -7,
  "wide": 2**40, "huge": 2**63 - 1, "real": 1.5, "when": datetime.datetime(2026, 11, 15, 12, 30),
  "data": b"\\x00\\xff", "list": [1, [2, {"deep": "er"}]], "empty": {}, "none": [], "": "no name",
  "many": list(range(20)),
}`;

const WANTED = {
  text: "hällo <&> ☃ 😀",
  long: "x".repeat(300),
  yes: true,
  no: false,
  int: 42,
  minus: -7,
  wide: 2 ** 40,
  huge: "9223372036854775807",
  real: 1.5,
  data: { base64: "AP8=" },
  list: [1, [2, { deep: "er" }]],
  empty: {},
  none: [],
  "": "no name",
  many: Array.from({ length: 20 }, (_, n) => n),
};

/** What Python's plistlib writes. */
function written(value: string, format: "XML" | "BINARY"): Buffer {
  const code = `import datetime, plistlib, sys
sys.stdout.buffer.write(plistlib.dumps(${value}, fmt=plistlib.FMT_${format}, sort_keys=False))`;
  return execFileSync("python3", ["-c", code]);
}

for (const format of ["XML", "BINARY"] as const) {
  test(`plist reads every kind of value another program wrote (${format})`, { skip }, () => {
    const bytes = written(SAMPLE, format);
    for (const input of [
      { base64: bytes.toString("base64") },
      bytes.toString("hex"),
      bytes.toString("base64"),
    ]) {
      const { when, ...rest } = parsePlist({ kind: "plist", input, extract: null }) as Record<
        string,
        unknown
      >;
      assert.deepEqual(rest, WANTED);
      assert.equal(Date.parse(String(when)), Date.UTC(2026, 10, 15, 12, 30));
    }
  });
}

test("plist takes parts by key, and of a keyed archive by index", { skip }, () => {
  const archive = `{"$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)}, "$objects": ["$null", {"a": plistlib.UID(2)}, "token"]}`;
  const input = written(archive, "BINARY").toString("hex");
  const read = (extract: Record<string, number | string> | null) =>
    parsePlist({ kind: "plist", input, extract });
  assert.deepEqual(read({ token: 2, by: "$archiver", not: 9, neither: "nope" }), {
    token: "token",
    by: "NSKeyedArchiver",
    not: null,
    neither: null,
  });
  assert.deepEqual((read(null) as Record<string, unknown>)["$top"], { root: { CF$UID: 1 } });
});

test("plist is not brought to grow, to recurse or to crash by what it reads", { skip }, () => {
  const bytes = written(SAMPLE, "BINARY");
  const attempt = (input: unknown) => {
    try {
      parsePlist({ kind: "plist", input, extract: null });
    } catch (error) {
      assert.ok(error instanceof Unusable, String(error));
    }
  };
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    attempt({ base64: damaged.toString("base64") });
    attempt({ base64: bytes.subarray(0, at).toString("base64") });
  }
  const bomb = '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><plist><string>&b;</string></plist>';
  for (const input of [
    bomb,
    "<plist><string>&b;</string></plist>",
    "<plist>",
    "<plist/>",
    "<a",
    "",
    null,
    7,
    "zz",
  ])
    assert.throws(() => parsePlist({ kind: "plist", input, extract: null }), Unusable, String(input));
  assert.throws(
    () => parsePlist({ kind: "plist", input: "<array>".repeat(5000), extract: null }),
    /nested too deeply/,
  );
});

/** Each list holds the next one twice: 2^60 values in 700 bytes. */
function doubling(levels: number): Buffer {
  const objects = Array.from({ length: levels }, (_, n) => Buffer.from([0xa2, n + 1, n + 1]));
  objects.push(Buffer.from([0x09]));
  const offsets = objects.map((_, n) => 8 + objects.slice(0, n).reduce((sum, { length }) => sum + length, 0));
  const table = Buffer.alloc(offsets.length * 2);
  for (const [n, offset] of offsets.entries()) table.writeUInt16BE(offset, n * 2);
  const body = Buffer.concat([Buffer.from("bplist00"), ...objects]);
  const trailer = Buffer.alloc(32);
  trailer.writeUInt8(2, 6);
  trailer.writeUInt8(1, 7);
  trailer.writeBigUInt64BE(BigInt(objects.length), 8);
  trailer.writeBigUInt64BE(BigInt(body.length), 24);
  return Buffer.concat([body, table, trailer]);
}

test("a plist step reads in the jail, and a small file that unfolds to any size is refused", {
  skip: noJail,
}, async () => {
  const steps = [{ id: "read", plist: { input: ".params.input", extract: { a: "a" } } }];
  await using skill = await TestSkill.load({ operations: { read: { steps } } });
  const read = (input: unknown) => skill.run("read", { params: { input } });
  assert.deepEqual(await read("<plist><dict><key>a</key><integer>0x10</integer></dict></plist>"), { a: 16 });
  await assert.rejects(
    read(doubling(60).toString("hex")),
    /shop read: plist: the property list has too many values/,
  );
});
