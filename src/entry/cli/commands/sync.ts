import type { Command } from "commander";
import type { Methods, PeerRow, Progress, PushRow } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, group, list, type Options, text } from "../define.ts";
import type { Entries } from "../entries.ts";
import { exitStatus } from "../exit-status.ts";
import { readLineFrom } from "../input.ts";
import { installUnit, UNIT_OPTIONS } from "../install-unit.ts";
import { ask, isInteractive } from "../prompt.ts";
import { say } from "../say.ts";
import { minute, plain, table } from "../table.ts";

export function addSync(program: Command, entries: Entries): void {
  define(program, {
    usage: "pair",
    summary: "let another of your machines send logins here, or receive them",
    example: "deputy pair --as sink --listen 127.0.0.1",
    options: [
      ["--as <role>", "source: this machine sends; sink: it receives"],
      ["--listen <address>", "show a code and wait here (default: 127.0.0.1:4737)"],
      ["--peer <url>", "the other machine waits there and shows a code: ask for it (or read it from stdin)"],
      ["--name <name>", "what this machine is called there (default: its host name)"],
    ],
    async run(shell, _args, options) {
      const peer = await shell.call("sync.pair", await pairing(options), showCode);
      const words = `Paired with ${peer.name}, a ${peer.role}. Both machines must show: ${peer.fingerprint}`;
      shell.show(peer, plain(words));
    },
  });
  define(program, {
    usage: "source",
    summary: "send this machine's logins to the sinks it is paired with",
    example: "deputy source --once",
    options: [
      ["--once", "send what changed, then end"],
      ["--watch", "send whatever changes, until interrupted"],
      ["--peer <name...>", "only to this one; may be given several times"],
      ["--rows <domain/account...>", "also the keys and tokens of this account"],
      ["--device-bound", "also cookies that other machines will probably be refused with"],
      ...UNIT_OPTIONS,
    ],
    async run(shell, _args, options) {
      const args = ["source", "--watch", ...again(options, ["peer", "rows"], ["deviceBound"])];
      const unit = { name: "source", summary: "sends logins to paired machines", args };
      if (await installUnit(shell, entries, options, unit)) return 0;
      const watch = options["watch"] === true;
      if (watch === (options["once"] === true)) {
        throw new DeputyError("BAD_USAGE", "Say how long: --once or --watch", {
          hint: "For example: deputy source --once",
        });
      }
      const peers = list(options, "peer");
      const pushed = await shell.call(
        "sync.push",
        {
          watch,
          rows: list(options, "rows"),
          device_bound: options["deviceBound"] === true,
          ...(peers.length === 0 ? {} : { peers }),
        },
        tell,
      );
      shell.show({ peers: pushed }, pushed.map(sentence).join("\n"));
      const failed = pushed.find((row) => row.error !== undefined)?.error;
      return failed === undefined ? 0 : exitStatus(failed.code);
    },
  });
  define(program, {
    usage: "sink",
    summary: "receive logins from the sources this machine is paired with",
    example: "deputy sink --listen 127.0.0.1:4737",
    options: [
      ["--listen <address>", "an address of this machine (default: 127.0.0.1:4737)"],
      ["--rows <domain/account...>", "also take the keys and tokens of this account"],
      ...UNIT_OPTIONS,
    ],
    async run(shell, _args, options) {
      const unit = {
        name: "sink",
        summary: "receives logins from paired machines",
        args: ["sink", ...again(options, ["listen", "rows"], [])],
      };
      if (await installUnit(shell, entries, options, unit)) return;
      const input = { rows: list(options, "rows"), ...given(options, "listen") };
      const done = await shell.call("sync.sink", input, tell);
      shell.show(done, "");
    },
  });
  const peers = group(program, "peers", "the machines this one is paired with");
  define(peers, {
    usage: "list",
    summary: "which machines there are",
    example: "deputy peers list",
    async run(shell) {
      const rows = await shell.call("peers.list", {});
      shell.show(rows, rows.length === 0 ? "No machine is paired with this one." : listing(rows));
    },
  });
  define(peers, {
    usage: "remove <name>",
    summary: "forget a machine and its keys; what was sent stays where it is",
    example: "deputy peers remove laptop",
    async run(shell, [name = ""]) {
      const done = await shell.call("peers.remove", { name });
      shell.show(done, plain(`${name} is no longer paired with this machine.`));
    },
  });
}

/** The options as they were given, for a command that is to be run again. */
function again(options: Options, valued: readonly string[], plainOnes: readonly string[]): string[] {
  const flag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return [
    ...valued.flatMap((name) =>
      [options[name] ?? []].flat().flatMap((value) => (typeof value === "string" ? [flag(name), value] : [])),
    ),
    ...plainOnes.filter((name) => options[name] === true).map(flag),
  ];
}

async function pairing(options: Options): Promise<Methods["sync.pair"]["in"]> {
  const role = text(options, "as");
  if (role !== "source" && role !== "sink") {
    throw new DeputyError("BAD_USAGE", "Say what this machine is: --as source or --as sink", {
      hint: "A source sends its logins, a sink receives them.",
    });
  }
  const { peer, ...rest } = given(options, "peer", "listen", "name");
  return {
    as: role,
    ...rest,
    ...(peer === undefined ? {} : { peer, code: await askCode() }),
  };
}

/** On the terminal, else the first line of standard input: a code is never an argument, which others can see. */
async function askCode(): Promise<string> {
  const question = "The code the other machine shows";
  return isInteractive() ? ask(question) : readLineFrom(0);
}

function showCode({ code, url }: Progress): void {
  if (code === undefined) return;
  say(`Waiting at ${url ?? ""}. On the other machine, type this code:\n  ${code}`);
}

function tell({ message, url }: Progress): void {
  say(url === undefined ? message : `${message} at ${url}`);
}

function sentence({ peer, full, stored, deleted, skipped, refused, error }: PushRow): string {
  if (error !== undefined) return plain(`${peer}: ${error.message}`);
  const stayed = skipped.length === 0 ? "" : `, ${skipped.length} stayed here (${reasons(skipped)})`;
  const denied = refused.length === 0 ? "" : `, ${refused.length} not taken (${reasons(refused)})`;
  const what = full ? "everything sent" : "changes sent";
  return plain(`${peer}: ${what}: ${stored} stored, ${deleted} deleted${stayed}${denied}`);
}

function reasons(refused: PushRow["refused"]): string {
  return [...new Set(refused.map(({ reason }) => reason))].slice(0, 3).join("; ");
}

function listing(rows: readonly PeerRow[]): string {
  return table(
    ["NAME", "ROLE", "ADDRESS", "FINGERPRINT", "PAIRED", "LAST SYNC"],
    rows.map((row) => [
      row.name,
      row.role,
      row.url ?? "",
      row.fingerprint,
      row.paired_at.slice(0, 10),
      row.last_sync === null ? "never" : minute(row.last_sync),
    ]),
  );
}
