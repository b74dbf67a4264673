import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { isRunning } from "../../src/platform/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What a jailed program must not reach, and what tells when it did. */
export interface Canaries extends AsyncDisposable {
  readonly word: string;
  /** Not shown to the jail. */
  readonly outside: string;
  /** Shown read-only: data.txt, a link to the secret, a listening socket. */
  readonly shared: string;
  /** Shown writable. */
  readonly work: string;
  /** What attempts need to know, as JSON. */
  readonly facts: Record<string, string | number>;
  /** Signs that something was reached; empty as long as the jail holds. */
  reached(): string[];
}

export async function jailCanaries(): Promise<Canaries> {
  const folder = temporaryFolder("jail");
  const word = `canary-${randomUUID()}`;
  const [outside, shared, work] = ["outside", "shared", "work"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [outside, shared, work]) mkdirSync(path);
  const secret = join(outside, "secret.txt");
  writeFileSync(secret, word, { mode: 0o600 });
  writeFileSync(join(shared, "data.txt"), "shared");
  writeFileSync(join(shared, "tool"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(shared, "tool"), 0o755);
  symlinkSync(secret, join(shared, "link"));

  const visits: string[] = [];
  const servers: Server[] = [];
  const listen = async (name: string, where: string | { port: number; host: string }) => {
    const server = createServer((socket) => {
      visits.push(name);
      socket.on("error", () => {});
      socket.end(word);
    });
    if (typeof where === "string") server.listen(where);
    else server.listen(where.port, where.host);
    await once(server, "listening");
    servers.push(server);
    return server;
  };
  const abstract = `deputy-jail-${word}`;
  const tcp = await listen("tcp", { port: 0, host: "127.0.0.1" });
  await listen("abstract socket", `\0${abstract}`);
  await listen("socket in a shown folder", join(shared, "socket"));
  await listen("socket outside", join(outside, "socket"));
  const address = tcp.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  const victim = spawn("/bin/sleep", ["1000"], { stdio: "ignore", env: { CANARY: word } });
  await once(victim, "spawn");
  const victimPid = victim.pid ?? 0;
  const before = listing(shared);
  return {
    word,
    outside,
    shared,
    work,
    facts: { word, secret, outside, shared, work, abstract, port, victim: victimPid, parent: process.pid },
    reached: () => [
      ...visits,
      ...(isRunning(victimPid) ? [] : ["the victim was killed"]),
      ...(readFileSync(secret, "utf8") === word ? [] : ["the secret was changed"]),
      ...(listing(shared) === before ? [] : ["the shared folder was changed"]),
    ],
    [Symbol.asyncDispose]: async () => {
      const gone = once(victim, "exit");
      if (victim.exitCode === null && victim.signalCode === null) {
        victim.kill("SIGKILL");
        await gone;
      }
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
      folder[Symbol.dispose]();
    },
  };
}

function listing(folder: string): string {
  return readdirSync(folder).sort().join() + readFileSync(join(folder, "data.txt"), "utf8");
}
