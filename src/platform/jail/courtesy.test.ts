import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createJail, type JailSpec, readEnvironment } from "../index.ts";
import { childrenOf, threadsOf } from "./usage.ts";

const jail = await createJail({ env: readEnvironment() });
const skip = process.platform !== "linux" ? "no namespaces here" : jail.level === "reduced" && "no jail";
const node = (code: string): JailSpec => ({ argv: [process.execPath, "-e", code], read: [process.execPath] });

/** The nice numbers of its threads, and of its session where the kernel has such. */
function manners(bwrap: number): number[] {
  const [init = 0] = childrenOf(bwrap, false, 1);
  const [program = 0] = childrenOf(init, false, 1);
  const session = `/proc/${program}/autogroup`;
  const nice = existsSync(session) ? /nice (-?\d+)/.exec(readFileSync(session, "utf8"))?.[1] : undefined;
  const threads = threadsOf(program).map((thread) => getPriority(Number(thread)));
  return nice === undefined ? threads : [...threads, Number(nice)];
}

const has = (found: number[], nice: number) => found.length > 0 && found.every((one) => one === nice);

test("A program that computes for long gives way to others, with all its threads", { skip }, async () => {
  const jailed = await jail.start(node("for (;;);"));
  try {
    const deadline = performance.now() + 20_000;
    while (!has(manners(jailed.pid), 10)) {
      assert.ok(performance.now() < deadline, String(manners(jailed.pid)));
      await sleep(50);
    }
  } finally {
    jailed.kill();
    await jailed.exited;
  }
});

test("A program that waits is left alone", { skip }, async () => {
  const jailed = await jail.start(node("setInterval(() => {}, 1000)"));
  try {
    await sleep(700);
    assert.ok(
      manners(jailed.pid).every((nice) => nice === 0),
      String(manners(jailed.pid)),
    );
  } finally {
    jailed.kill();
    await jailed.exited;
  }
});
