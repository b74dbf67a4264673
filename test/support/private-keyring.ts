/** A Secret Service of a test's own: gnome-keyring on a bus nobody else knows, its files in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Environment, findProgram, lookupSecret, readEnvironment } from "../../src/platform/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const missing = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"].filter(
  (name) => findProgram(name, readEnvironment()) === undefined,
);

/** For `{ skip }`: why tests with a keyring cannot run here. */
export const noKeyring = missing.length === 0 ? false : `${missing.join(", ")} not installed`;

export interface PrivateKeyring extends AsyncDisposable {
  /** What programs need to find it. */
  readonly env: Environment;
  /** Kills the keyring and leaves the bus: a service that was there and is gone. */
  killDaemon(): Promise<void>;
}

export async function startPrivateKeyring(): Promise<PrivateKeyring> {
  const folder = temporaryFolder("keyring");
  const bus = join(folder.path, "bus");
  // No service folders: nothing is started on demand, so nothing is left behind.
  const config = `<busconfig><type>session</type><listen>unix:path=${bus}</listen><policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`;
  writeFileSync(join(folder.path, "bus.conf"), config);
  const env: Environment = {
    PATH: readEnvironment()["PATH"],
    HOME: folder.path,
    XDG_RUNTIME_DIR: join(folder.path, "run"),
    XDG_DATA_HOME: join(folder.path, "data"),
    XDG_CONFIG_HOME: join(folder.path, "config"),
    XDG_CACHE_HOME: join(folder.path, "cache"),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}`,
  };
  for (const name of ["run", "data", "config", "cache"]) mkdirSync(join(folder.path, name), { mode: 0o700 });

  const children: ChildProcess[] = [];
  const keyring: PrivateKeyring = {
    env,
    async killDaemon() {
      await kill(children.at(-1)!);
    },
    async [Symbol.asyncDispose]() {
      for (const child of children.reverse()) await kill(child);
      folder[Symbol.dispose]();
    },
  };
  const configFile = `--config-file=${join(folder.path, "bus.conf")}`;
  children.push(spawn("dbus-daemon", [configFile, "--nofork"], { env, stdio: "ignore" }));
  await sleep(200);
  const options = ["--unlock", "--components=secrets", "--foreground"];
  const daemon = spawn("gnome-keyring-daemon", options, { env, stdio: ["pipe", "ignore", "ignore"] });
  children.push(daemon);
  daemon.stdin?.end("a password for one test");
  for (let attempt = 0; attempt < 50; attempt++) {
    if ((await lookupSecret({ probe: "is-it-there" }, env)).kind === "missing") return keyring;
    await sleep(100);
  }
  await keyring[Symbol.asyncDispose]();
  throw new Error("gnome-keyring does not answer");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}
