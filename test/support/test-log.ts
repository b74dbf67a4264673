/** An activity log over a real file and a real vault, whose file can be changed as somebody with an editor would. */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ActivityLog } from "../../src/access/index.ts";
import { createLogSeal } from "../../src/engine/log/log-seal.ts";
import type { Caller } from "../../src/kernel/index.ts";
import { TestVault } from "./test-vault.ts";

export const CALLER: Caller = { kind: "agent", agent: "cursor", instance: "instance_1", via: "mcp" };

export class TestLog implements AsyncDisposable {
  readonly vault = new TestVault();
  readonly path = join(this.vault.folder, "activity.db");
  #log: ActivityLog | undefined;

  open(vault = this.vault.open()): ActivityLog {
    const seal = createLogSeal(vault);
    this.#log = new ActivityLog({
      path: this.path,
      clock: { now: () => Date.now() },
      seal: async () => seal,
    });
    return this.#log;
  }

  /** So many rows, and the engine stopped. */
  async written(count: number): Promise<void> {
    const log = this.open();
    for (let i = 0; i < count; i++) {
      const entry = log.begin({
        caller: { ...CALLER, agent: i % 3 === 0 ? "cursor" : "codex" },
        subject: i % 2 === 0 ? "exa" : "@curl",
        operation: "search",
        identity: i % 5 === 0 ? null : { domain: "exa.ai", account: "joe" },
      });
      if (i % 4 !== 0) entry.contact("api.exa.ai", "POST");
      entry.answered(200);
      entry.received(i);
      await (i % 7 === 0 ? entry.end("denied", "DENIED") : entry.end("ok"));
    }
    await this.stop();
  }

  async stop(): Promise<void> {
    await this.#log?.[Symbol.asyncDispose]();
    this.#log = undefined;
    this.vault.close();
  }

  raw<T>(work: (db: DatabaseSync) => T): T {
    using db = new DatabaseSync(this.path);
    return work(db);
  }

  keepCopy(): void {
    copyFileSync(this.path, `${this.path}.kept`);
  }

  putBack(): void {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(this.path + suffix, { force: true });
    copyFileSync(`${this.path}.kept`, this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.vault[Symbol.dispose]();
  }
}
