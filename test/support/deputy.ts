/** The real command line in a home of its own. Disposing stops its engine and removes everything. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EngineClient, stopEngine } from "../../src/engine/index.ts";
import { homePaths } from "../../src/platform/index.ts";

export const launcher = resolve(import.meta.dirname, "../../bin/deputy");

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
  /** stdout as JSON. */
  json(): any;
}

interface RunOptions {
  input?: string | Buffer;
  /** Handed over on descriptor 3. */
  passphrase?: string;
  env?: Record<string, string>;
  /** Put in front of the command, such as a sandbox. */
  prefix?: string[];
  uid?: number;
}

export class TestHome implements AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly #uid: number | undefined;
  readonly #env: Record<string, string>;

  /** `bare`: nothing is there yet, not even the folder. */
  constructor(options: { under?: string; uid?: number; env?: Record<string, string>; bare?: boolean } = {}) {
    this.root = mkdtempSync(join(tmpdir(), "deputy-test-"));
    this.home = join(this.root, options.under ?? "deputy");
    this.#uid = options.uid;
    this.#env = options.env ?? {};
    if (options.bare !== true) shareCompiledCode(this.home);
    if (options.uid !== undefined) {
      mkdirSync(this.home, { recursive: true });
      chmodSync(this.root, 0o777);
      chmodSync(this.home, 0o777);
    }
  }

  environment(extra: Record<string, string> = {}): Record<string, string> {
    const kept = ["PATH", "TMPDIR", "LANG", "NODE_COMPILE_CACHE"];
    const keep = Object.fromEntries(kept.flatMap((n) => (process.env[n] ? [[n, process.env[n]]] : [])));
    return { ...keep, HOME: this.root, DEPUTY_HOME: this.home, ...this.#env, ...extra };
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const [program = "", ...rest] = [...(options.prefix ?? []), process.execPath, launcher, ...args];
    const uid = options.uid ?? this.#uid;
    const child = spawn(program, rest, {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      env: this.environment(options.env),
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    const third = child.stdio[3] as NodeJS.WritableStream;
    third.on("error", () => {});
    third.end(options.passphrase === undefined ? "" : `${options.passphrase}\n`);
    const status = await new Promise<number | null>((done, fail) => {
      child.on("error", fail);
      child.on("close", done);
    });
    const stdout = Buffer.concat(out).toString();
    return { status, stdout, stderr: Buffer.concat(err).toString(), json: () => JSON.parse(stdout) };
  }

  /** Runs a command that must succeed. */
  async ok(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const ran = await this.run(args, options);
    if (ran.status !== 0) throw new Error(`deputy ${args.join(" ")} failed:\n${ran.stdout}${ran.stderr}`);
    return ran;
  }

  /** As `deputy vault set` does; where an engine runs, without a process for it. */
  async set(domain: string, account: string, type: string, value: unknown): Promise<void> {
    using engine = await this.#engine();
    if (engine !== undefined) return void (await engine.call("vault.set", { domain, account, type, value }));
    const input = JSON.stringify(value);
    await this.ok(["vault", "set", domain, account, "--type", type, "--json"], { input });
  }

  async enginePid(): Promise<number | undefined> {
    using engine = await this.#engine();
    return engine === undefined
      ? (await this.run(["engine", "status", "--json"])).json().pid
      : engine.engine.pid;
  }

  /** As `deputy engine stop` does, without a process for it. */
  async stopEngine(): Promise<void> {
    const engine = await this.#engine();
    if (engine !== undefined) await stopEngine(engine);
    else if (this.#uid !== undefined) await this.run(["engine", "stop", "--json"]);
  }

  /** Undefined where none runs, or it is another user's: an engine serves its own user only. */
  async #engine(): Promise<EngineClient | undefined> {
    if (this.#uid !== undefined || !existsSync(join(this.home, "run"))) return undefined;
    return EngineClient.connect(homePaths({ DEPUTY_HOME: this.home }).socket, "cli").catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(this.home)) await this.stopEngine();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** An engine keeps compiled code in its home, whatever its environment says: by a link hundreds of homes share one folder. */
function shareCompiledCode(home: string): void {
  const shared = process.env["NODE_COMPILE_CACHE"];
  if (shared === undefined || process.platform === "win32") return;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  symlinkSync(shared, join(home, "cache"));
}
