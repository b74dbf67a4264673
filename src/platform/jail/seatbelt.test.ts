/** The text only: sandbox-exec runs on macOS alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bind } from "./binds.ts";
import { jailLimits } from "./limits.ts";
import { seatbeltLaunch, seatbeltProfile } from "./seatbelt.ts";

const bind = (from: string, writable = false): Bind => ({ from, to: from, writable });
const argv = ["/usr/bin/python3", "-I"] as const;

test("Seatbelt denies by default and allows no network and no processes unless told", () => {
  const closed = seatbeltProfile({ argv }, []);
  assert.match(closed, /^\(version 1\)\n\(deny default\)\n/);
  assert.doesNotMatch(closed, /network|process-fork|mach-lookup|system-socket/);
  const open = seatbeltProfile({ argv, fork: true, net: true }, []);
  assert.match(open, /\(allow process-fork\)/);
  assert.match(open, /\(allow network-outbound \(remote ip "\*:\*"\)\)/);
  assert.doesNotMatch(open, /AF_UNIX|remote unix/);
});

test("Seatbelt allows reading what is read, writing what is written, and looking up the way there", () => {
  const profile = seatbeltProfile({ argv }, [bind("/Users/a/skill"), bind("/Users/a/out", true)]);
  const rules = profile.split(/\n(?=\()/);
  const rule = (start: string) => rules.filter((line) => line.startsWith(`(${start}`)).join("\n");
  assert.match(rule("allow file-read*"), /\(subpath "\/Users\/a\/skill"\)/);
  assert.match(rule("allow file-read*"), /\(subpath "\/Users\/a\/out"\)/);
  assert.match(rule("allow file-write*"), /\(subpath "\/Users\/a\/out"\)/);
  assert.doesNotMatch(rule("allow file-write*"), /skill/);
  assert.doesNotMatch(rule("allow process-exec*"), /out/);
  assert.match(rule("allow file-read-metadata"), /\(literal "\/Users\/a"\)/);
  assert.doesNotMatch(profile, /\(subpath "\/Users"\)|\(subpath "\/"\)/);
});

test("Seatbelt keeps a path from ending its string", () => {
  const profile = seatbeltProfile({ argv }, [bind('/a"))(allow default)\\')]);
  assert.ok(profile.includes('(subpath "/a\\"))(allow default)\\\\")'));
});

test("Seatbelt has balanced parentheses outside strings", () => {
  const profile = seatbeltProfile({ argv, net: true, fork: true }, [bind("/a(b"), bind("/c", true)]);
  let depth = 0;
  for (const sign of profile.replaceAll(/"(?:\\.|[^"\\])*"/g, "")) {
    depth += sign === "(" ? 1 : sign === ")" ? -1 : 0;
    assert.ok(depth >= 0);
  }
  assert.equal(depth, 0);
});

test("Seatbelt is entered through a shell that sets the limits it can, and with the environment that was asked for", () => {
  const launch = seatbeltLaunch(
    { argv, env: { A: "secret" } },
    [],
    jailLimits({ openFiles: 10, fileBytes: 1024 }),
  );
  assert.deepEqual(launch.argv.slice(4, 8), ["10", "2", "/usr/bin/sandbox-exec", "-p"]);
  assert.deepEqual(launch.argv.slice(-2), argv);
  assert.deepEqual(launch.env, { A: "secret" });
  assert.ok(!launch.argv.join(" ").includes("secret"));
});

test("Seatbelt refuses to show a path under another name", () => {
  const read = [{ from: "/a", to: "/b" }];
  assert.throws(() => seatbeltLaunch({ argv, read }, [], jailLimits()), { code: "UNSUPPORTED" });
});
