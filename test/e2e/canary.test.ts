/** A secret put through every vault command is found nowhere: not on disk, not in output, not in logs. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Ran, TestHome } from "../support/deputy.ts";
import { findInFiles, findInText } from "../support/leaks.ts";

test("the search for leaks finds a secret in each of its forms", async () => {
  await using home = new TestHome();
  const secret = "canary?self/test+0123456789";
  const forms = [
    secret,
    Buffer.from(`x${secret}y`).toString("base64"),
    Buffer.from(`xy${secret}`).toString("base64url"),
    Buffer.from(secret).toString("hex"),
    encodeURIComponent(secret),
  ];
  for (const text of forms) assert.ok(findInText(`before ${text} after`, secret).length > 0, text);
  writeFileSync(join(home.root, "wide"), Buffer.from(secret, "utf16le"));
  assert.deepEqual(findInFiles(home.root, secret), ["wide (utf16le)"]);
});

test("a canary goes through every vault command and is found nowhere", async () => {
  await using home = new TestHome();
  const secrets: string[] = [];
  const canary = (name: string) => {
    const secret = `canary-${name}-${randomBytes(12).toString("hex")}`;
    secrets.push(secret);
    return secret;
  };
  const outputs: string[] = [];
  const say = (ran: Ran) => outputs.push(ran.stdout, ran.stderr);
  const both = async (args: string[], options = {}) => {
    say(await home.run(args, options));
    say(await home.run([...args, "--json"], options));
  };
  const passphrase = canary("passphrase");
  const fd = ["--passphrase-fd", "3"];

  await both(["setup", "--yes"]);
  const values = {
    api_key: { key: canary("key") },
    oauth: {
      access_token: canary("access"),
      refresh_token: canary("refresh"),
      client_secret: canary("client"),
    },
    password: { password: canary("password") },
    cookies: { cookies: `session=${canary("cookie")}` },
    custom: { anything: canary("custom") },
  };
  for (const [type, value] of Object.entries(values)) {
    await both(["vault", "set", "exa.ai", "joe", "--type", type], { input: JSON.stringify(value) });
  }
  // The same secrets in the wrong place: errors must not quote them.
  const all = JSON.stringify(values);
  for (const type of ["api_key", "oauth", "password", "cookies", "not a type"]) {
    await both(["vault", "set", "exa.ai", "joe", "--type", type], { input: all });
    await both(["vault", "set", "exa.ai/x", "joe", "--type", type], { input: all });
    await both(["vault", "set", "exa.ai", "joe", "--type", type], { input: all.slice(0, -3) });
    await both(["vault", "set", "exa.ai", "joe", "--type", type], { input: all.slice(1) });
  }
  await both(["vault", "list"]);
  await both(["vault", "verify"]);
  await both(["vault", "rotate"]);
  await both(["vault", "rename", "exa.ai", "joe", "jane"]);
  const file = join(home.root, "export.age");
  await both(["vault", "export", file, ...fd], { passphrase });
  assert.ok(existsSync(file));
  await both(["vault", "import", file, ...fd], { passphrase });
  await both(["vault", "import", file, ...fd], { passphrase: canary("wrong-passphrase") });
  await both(["vault", "rekey", "--key", "passphrase", ...fd], { passphrase });
  await both(["engine", "stop"]);
  await both(["vault", "unlock", ...fd], { passphrase: canary("wrong-unlock") });
  await both(["vault", "list", ...fd], { passphrase });
  await both(["vault", "remove", "exa.ai", "jane", "--type", "custom"]);
  await both(["status"]);
  await both(["doctor"]);
  await both(["engine", "status"]);
  const list = (await home.ok(["vault", "list", "--json"])).json();
  assert.equal(list.length, 4, "the commands did their work");
  for (const secret of secrets)
    assert.deepEqual(findInFiles(home.root, secret), [], "on disk while the engine runs");
  await both(["engine", "stop"]);

  const printed = outputs.join("\n");
  for (const secret of secrets) {
    assert.deepEqual(findInText(printed, secret), [], "in output");
    assert.deepEqual(findInFiles(home.root, secret), [], "on disk");
  }
});
