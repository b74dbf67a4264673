/** The real command line in a home of its own. Disposing stops its engine and removes everything. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

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

  constructor(options: { under?: string; uid?: number; env?: Record<string, string> } = {}) {
    this.root = mkdtempSync(join(tmpdir(), "deputy-test-"));
    this.home = join(this.root, options.under ?? "deputy");
    this.#uid = options.uid;
    this.#env = options.env ?? {};
    if (options.uid !== undefined) {
      mkdirSync(this.home, { recursive: true });
      chmodSync(this.root, 0o777);
      chmodSync(this.home, 0o777);
    }
  }

  environment(extra: Record<string, string> = {}): Record<string, string> {
    const keep = Object.fromEntries(
      ["PATH", "TMPDIR", "LANG", "NODE_COMPILE_CACHE"].flatMap((n) => (process.env[n] ? [[n, process.env[n]]] : [])),
    );
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

  async set(domain: string, account: string, type: string, value: unknown): Promise<Ran> {
    return this.ok(["vault", "set", domain, account, "--type", type, "--json"], {
      input: JSON.stringify(value),
    });
  }

  async enginePid(): Promise<number | undefined> {
    return (await this.run(["engine", "status", "--json"])).json().pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(this.home)) await this.run(["engine", "stop", "--json"]);
    rmSync(this.root, { recursive: true, force: true });
  }
}
