import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Environment, engineEnvironment, readEnvironment } from "../platform/index.ts";
import type { Program, Programs, Ran } from "./programs.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/deputy", import.meta.url));

interface CommandOptions {
  readonly input?: string;
  /** Which agent runs the command; the owner unless said. */
  readonly agent?: string;
  readonly whole?: boolean;
}

/**
 * A machine of the demonstration: a home folder with an engine of its own. Nothing of the person's environment counts
 * there but where programs are: no keyring, no settings, and no mark of a coding agent that started all this.
 */
export class Machine {
  readonly name: string;
  /** The person's home; Deputy's is in it. */
  readonly home: string;
  readonly deputyHome: string;
  readonly env: Environment;
  readonly #programs: Programs;
  #started = false;

  constructor(name: string, root: string, programs: Programs) {
    this.name = name;
    this.home = join(root, name);
    this.deputyHome = join(this.home, ".deputy");
    this.#programs = programs;
    const temporary = join(root, "tmp");
    for (const folder of [this.deputyHome, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.env = {
      ...engineEnvironment(readEnvironment(), false),
      HOME: this.home,
      USERPROFILE: this.home,
      APPDATA: join(this.home, "AppData", "Roaming"),
      LOCALAPPDATA: join(this.home, "AppData", "Local"),
      XDG_CONFIG_HOME: undefined,
      XDG_DATA_HOME: undefined,
      XDG_RUNTIME_DIR: undefined,
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      DEPUTY_HOME: this.deputyHome,
      TMPDIR: temporary,
      TEMP: temporary,
    };
  }

  /** A file in Deputy's home. */
  write(path: string, text: string): void {
    const file = join(this.deputyHome, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text);
  }

  /** Two machines in one demonstration need not compile the same code twice. */
  shareCompiledCode(other: Machine): void {
    if (process.platform === "win32") return;
    mkdirSync(join(other.deputyHome, "cache"), { recursive: true, mode: 0o700 });
    rmSync(join(this.deputyHome, "cache"), { recursive: true, force: true });
    symlinkSync(join(other.deputyHome, "cache"), join(this.deputyHome, "cache"));
  }

  async run(args: readonly string[], options: CommandOptions = {}): Promise<Ran> {
    const whole = !this.#started; // the first command starts the engine
    const ran = await this.#programs.run([process.execPath, LAUNCHER, ...args], {
      env: { ...this.env, DEPUTY_AGENT: options.agent },
      whole,
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    this.#started = true;
    return ran;
  }

  start(args: readonly string[]): Program {
    return this.#programs.start([process.execPath, LAUNCHER, ...args], this.env);
  }

  /** Whether no engine of its own runs any more. Not to be interrupted: it takes programs that are. */
  async stop(programs: Programs): Promise<boolean> {
    const { status } = await programs.run([process.execPath, LAUNCHER, "engine", "stop"], { env: this.env });
    return status === 0;
  }
}
