import { randomBytes } from "node:crypto";
import { mkdtempSync, rmdirSync, rmSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { DeputyError, systemCode } from "../kernel/index.ts";
import { fileError } from "../platform/index.ts";
import { type BrowserUse, findBrowserUse, linkTarget, OUR_MARK, SINGLETON } from "./running-browser.ts";

const PATIENCE_MS = 15_000;
/**
 * A browser told to go on takes the folder within milliseconds, and gives up starting where somebody else was quicker:
 * nobody takes a folder in which something has just changed.
 */
const AFTER_YOU_MS = 150;

/** How the folders for our sockets begin, in the system's place for such. */
const FOLDER = "deputy-lock-";

/** What a browser that starts is told: the one before it is shutting down, so that it may go on. */
const GO_ON = "SHUTDOWN";

/**
 * A user data folder while no browser has it and none can start in it. A browser that starts meanwhile finds a browser
 * that does not answer yet, waits (Chromium: up to 20 seconds), and starts when the lock is let go. Should this
 * process die, nothing answers, the lock names no process, and a browser starts at once.
 */
export class ProfileLock implements AsyncDisposable {
  readonly #userData: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();
  #released = false;

  private constructor(userData: string) {
    this.#userData = userData;
    this.#folder = mkdtempSync(join(tmpdir(), FOLDER));
    // A starting browser says its piece, closes its side and waits for ours: that must stay open.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** Takes the lock, or says who has the folder. Another Deputy is waited for. */
  static async take(
    userData: string,
  ): Promise<ProfileLock | Exclude<BrowserUse, { kind: "closed" | "ours" }>> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const use = await findBrowserUse(userData);
      if (use.kind === "closed" && Date.now() - statSync(userData).mtimeMs >= AFTER_YOU_MS) {
        const lock = new ProfileLock(userData);
        try {
          if (await lock.#take()) return lock;
        } catch (error) {
          await lock[Symbol.asyncDispose]();
          throw fileError(error, userData);
        }
      } else if (use.kind === "running" || use.kind === "elsewhere") return use;
      if (Date.now() > until)
        throw new DeputyError("DATABASE_BUSY", `Cannot use ${userData}: another Deputy is writing there`, {
          hint: "Try again in a moment.",
        });
      await sleep(10 + Math.random() * 10);
    }
  }

  async #take(): Promise<boolean> {
    const socket = join(this.#folder, SINGLETON.socket);
    const cookie = BigInt(`0x${randomBytes(8).toString("hex")}`).toString();
    await new Promise<void>((resolve, reject) => this.#server.once("error", reject).listen(socket, resolve));
    symlinkSync(cookie, join(this.#folder, SINGLETON.cookie));
    this.#removeLeftovers();
    // The lock comes last: whoever finds it must find us answering. A browser that was quicker owns what is there.
    const made =
      link(cookie, join(this.#userData, SINGLETON.cookie)) &&
      link(socket, join(this.#userData, SINGLETON.socket)) &&
      link(`${hostname()}-${OUR_MARK}${process.pid}`, join(this.#userData, SINGLETON.lock));
    if (!made) await this[Symbol.asyncDispose]();
    return made;
  }

  /** Of a browser or a Deputy that was killed: nobody holds them, as the caller has just found out. */
  #removeLeftovers(): void {
    const folder = dirname(linkTarget(join(this.#userData, SINGLETON.socket)) ?? "");
    // Exactly a folder as we make them: a link of a hostile profile could lead anywhere.
    if (dirname(folder) === tmpdir() && basename(folder).startsWith(FOLDER))
      rmSync(folder, { recursive: true, force: true });
    for (const name of [SINGLETON.socket, SINGLETON.cookie, SINGLETON.lock])
      unlink(join(this.#userData, name));
  }

  #accept(socket: Socket): void {
    socket.on("error", () => {});
    socket.resume();
    if (this.#released) socket.end(GO_ON);
    else this.#waiting.add(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#released) return;
    const lock = join(this.#userData, SINGLETON.lock);
    // What leads to us is ours to remove; a browser that found the folder free may have put its own there.
    if (linkTarget(join(this.#userData, SINGLETON.socket))?.startsWith(this.#folder)) {
      if (linkTarget(lock)?.endsWith(`-${OUR_MARK}${process.pid}`)) unlink(lock);
      unlink(join(this.#userData, SINGLETON.socket));
      unlink(join(this.#userData, SINGLETON.cookie));
    }
    this.#released = true;
    for (const socket of this.#waiting) socket.end(GO_ON);
    await turn();
    await turn(); // for those that knocked while we were writing
    this.#server.close(); // which removes the socket
    unlink(join(this.#folder, SINGLETON.cookie));
    unlink(join(this.#folder, SINGLETON.socket));
    rmdirSync(this.#folder);
  }
}

/** Where it is there. (`rmSync` with `force` costs milliseconds, during which a starting browser waits.) */
function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** False where somebody else's is there. */
function link(target: string, path: string): boolean {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}
