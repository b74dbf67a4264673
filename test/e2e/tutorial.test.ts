/** docs/writing-a-skill.md, typed as it stands: what it says is what happens. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { asPattern, stepsOf } from "../support/console-blocks.ts";
import { launcher, TestHome } from "../support/deputy.ts";
import { noFullJail } from "../support/skill-host.ts";
import { TypingShell } from "../support/typing-shell.ts";

const DOCUMENT = resolve(import.meta.dirname, "../../docs/writing-a-skill.md");

test("every command of the tutorial prints what the tutorial shows", { skip: noFullJail }, async () => {
  await using reader = new TestHome({ under: "practice/home" });
  const port = String(await freePort());
  // What the reader's port is to a person, any port is to a machine where several such tests run.
  const steps = stepsOf(readFileSync(DOCUMENT, "utf8").replaceAll("8137", port));
  assert.ok(steps.length > 40, "the document has its commands");
  const programs = join(reader.root, "bin");
  mkdirSync(programs);
  symlinkSync(launcher, join(programs, "deputy"));
  symlinkSync(process.execPath, join(programs, "node"));
  const { DEPUTY_HOME: _, PATH = "", ...env } = reader.environment();
  await using shell = new TypingShell(reader.root, { ...env, PATH: `${programs}:${PATH}` });
  for (const step of steps) {
    if (step.kind === "file") {
      const file = join(reader.root, "practice", step.path);
      mkdirSync(dirname(file), { recursive: true });
      if (step.added) appendFileSync(file, `\n${step.content}`);
      else writeFileSync(file, step.content);
      continue;
    }
    const { status, printed } = await shell.type(step.command);
    const where = `line ${step.line}: ${step.command}\nprinted:\n${printed}`;
    assert.match(printed, asPattern(step.prints), where);
    assert.equal(status, 0, where);
    if (step.command.endsWith("&")) await listening(Number(port));
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A person takes longer to type the next command than a server to start. */
async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, "127.0.0.1");
    const answered = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (answered) return;
    await setTimeout(50);
  }
  assert.fail(`nothing listens on ${port}`);
}
