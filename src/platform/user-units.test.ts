import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { missing } from "../../test/support/fault-form.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { createUserUnits } from "./index.ts";

const SINK = { name: "sink", summary: "receives", args: ["sink", "--listen", "127.0.0.1:4737"] };

function unitsIn(home: string, platform: NodeJS.Platform, env: Record<string, string> = {}) {
  const command = [process.execPath, "/opt/a folder/100%/deputy"];
  return createUserUnits({ env: { HOME: home, ...env }, platform, command, logs: join(home, "logs") });
}

test("a unit is written once, private and removed again; what somebody else wrote stays", () => {
  using folder = temporaryFolder("units");
  const units = unitsIn(folder.path, "linux", { DEPUTY_HOME: "/srv/a b" });
  const file = join(folder.path, ".config/systemd/user/deputy-sink.service");
  const first = units.install(SINK);
  assert.deepEqual([first.file, first.changed], [file, true]);
  assert.match(
    first.next,
    /^systemctl --user daemon-reload && systemctl --user enable --now deputy-sink\.service$/,
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, "utf8");
  assert.ok(
    text.includes(
      `\nExecStart="${process.execPath}" "/opt/a folder/100%%/deputy" "sink" "--listen" "127.0.0.1:4737"\n`,
    ),
  );
  assert.ok(text.includes('\nEnvironment="DEPUTY_HOME=/srv/a b"\n'));
  assert.equal(units.install(SINK).changed, false);
  assert.equal(units.install({ ...SINK, args: ["sink"] }).changed, true);
  assert.equal(units.uninstall("sink").changed, true);
  assert.equal(units.uninstall("sink").changed, false);
  assert.ok(!existsSync(file));

  writeFileSync(file, "[Service]\nExecStart=/bin/true\n");
  assert.throws(() => units.install(SINK), /not Deputy's/);
  assert.throws(() => units.uninstall("sink"), /not Deputy's/);
  assert.throws(() => units.print({ ...SINK, args: ["sink\nExecStartPre=/bin/evil"] }), /Control characters/);
});

test("systemd finds nothing wrong with the units", { skip: missing("systemd-analyze") }, () => {
  using folder = temporaryFolder("units");
  const { text } = createUserUnits({
    env: { HOME: folder.path, DEPUTY_HOME: join(folder.path, "a b%c$d") },
    platform: "linux",
    command: [process.execPath],
    logs: folder.path,
  }).print({ ...SINK, args: ["sink", "--rows", 'exa.ai/jo"e\\$HOME'] });
  const file = join(folder.path, "deputy-sink.service");
  writeFileSync(file, text);
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--user", "--man=no", file], {
    encoding: "utf8",
    env: { ...process.env, XDG_RUNTIME_DIR: folder.path },
  });
  // It reads the units of the system too, and has its own to say about those.
  assert.ok(!stderr.includes("deputy-sink"), stderr);
  if (status !== 0) assert.doesNotMatch(stderr, /deputy/);
});

test("an agent of launchd is a property list of the same command", () => {
  using folder = temporaryFolder("units");
  const units = unitsIn(folder.path, "darwin", { DEPUTY_HOME: "/srv/<x>&y" });
  const { file, next } = units.install({ ...SINK, args: ["sink", "--rows", "a.b/<joe>"] });
  assert.equal(file, join(folder.path, "Library/LaunchAgents/deputy.sink.plist"));
  const text = readFileSync(file, "utf8");
  assert.ok(text.includes("<string>a.b/&lt;joe&gt;</string>"));
  assert.ok(text.includes("<key>DEPUTY_HOME</key><string>/srv/&lt;x&gt;&amp;y</string>"));
  assert.match(next, /^launchctl bootstrap gui\/\$UID /);
  assert.doesNotMatch(text.replace(/<!--[^]*?-->/, ""), /<!--|--(?!listen|rows)/);
  mkdirSync(dirname(file), { recursive: true });
  assert.equal(units.uninstall("sink").changed, true);
  assert.throws(() => unitsIn(folder.path, "win32"), /knows no way/);
});
