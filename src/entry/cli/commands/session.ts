import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { SavedRow, SessionOpenInput, SessionRow } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, group, list, type Options, profileOf, text } from "../define.ts";
import type { Shell } from "../shell.ts";
import { plain, table } from "../table.ts";
import { addSessionAct } from "./session-act.ts";

/** Lines of a report shown before the rest is only counted. */
const SHOWN = 5;
const WATCH_MS = 1000;
const SESSION = ["--session <id>", "which session: deputy session list"] as const;

export function addSession(program: Command): void {
  const session = group(program, "session", "isolated browser sessions for agents, cloned from a login");
  define(session, {
    usage: "open",
    summary: "a browser context of your own with a login in it; the same one if it is open already",
    example: "deputy session open --identity github.com/joe --url https://github.com/",
    options: [
      ["--identity <domain[/account]>", "with this login of the vault or of a browser"],
      ["--profile <browser[:profile]>", "with everything a browser's profile has"],
      ["--from <name>", "with a state that was saved"],
      ["--blank", "with nothing"],
      ["--new <name>", "one beside another of the same source, for a subagent"],
      ["--url <url>", "open a tab there"],
      ["--allow <host...>", "only this host and those below it: cookies, storage and network"],
      ["--write-back", "cookies that services renew return to the vault"],
      ["--deletions", "and those they delete are deleted there"],
      ["--adopt <domain>", "with --blank: what a person logs in to there becomes an account of the vault"],
      ["--expose", "values of HttpOnly cookies are not masked at the endpoint"],
    ],
    async run(shell, _args, options) {
      const input = inputOf(options);
      const row = await shell.call("session.open", input);
      const stays =
        input.identity === undefined || input.write_back === true
          ? []
          : ["what the site renews stays in this session (--write-back returns it to the vault)"];
      shell.show(row, [line(row), ...reportOf(row), ...stays].join("\n"));
    },
  });
  define(session, {
    usage: "tab",
    summary: "another tab in a session",
    example: "deputy session tab --session session_… --url https://example.com/",
    options: [SESSION, ["--url <url>", "where to"]],
    async run(shell, _args, options) {
      const tab = await shell.call("session.tab", { ...idOf(options), ...given(options, "url") });
      shell.show(tab, plain(`${tab.id}  ${tab.url}  ${tab.title}`));
    },
  });
  addSessionAct(session);
  define(session, {
    usage: "list",
    summary: "your sessions; the owner sees everybody's",
    example: "deputy session list",
    options: [["--saved", "states that were saved instead"]],
    async run(shell, _args, options) {
      if (options["saved"] === true) {
        const saved = await shell.call("session.saved", {});
        shell.show(saved, saved.length === 0 ? "There are none." : savedTable(saved));
        return;
      }
      const rows = await shell.call("session.list", {});
      shell.show(rows, rows.length === 0 ? "There are none." : listing(rows));
    },
  });
  define(session, {
    usage: "dispose",
    summary: "end a session: its tabs, cookies and files are gone",
    example: "deputy session dispose --session session_…",
    options: [SESSION],
    async run(shell, _args, options) {
      const done = await shell.call("session.dispose", idOf(options));
      shell.show(done, plain(`Gone: ${done.disposed}`));
    },
  });
  define(session, {
    usage: "endpoint",
    summary: "a DevTools address that shows this session and nothing else of the browser",
    example: "deputy session endpoint --session session_…",
    options: [SESSION],
    async run(shell, _args, options) {
      const endpoint = await shell.call("session.endpoint", idOf(options));
      shell.show(endpoint, endpoint.url);
    },
  });
  define(session, {
    usage: "save <name>",
    summary: "keep a session's cookies and storage, sealed in the vault",
    example: "deputy session save --session session_… work",
    options: [SESSION],
    async run(shell, [name = ""], options) {
      const saved = await shell.call("session.save", { ...idOf(options), name });
      shell.show(
        saved,
        plain(`Saved as ${name}: ${saved.cookies} cookies, storage of ${saved.origins} origins`),
      );
    },
  });
  define(session, {
    usage: "forget <name>",
    summary: "remove a saved state",
    example: "deputy session forget work",
    async run(shell, [name = ""]) {
      const done = await shell.call("session.forget", { name });
      shell.show(done, plain(`Gone: ${done.forgotten}`));
    },
  });
  define(session, {
    usage: "view",
    summary: "a picture of a session's tab",
    example: "deputy session view --session session_… --out tab.png",
    options: [
      SESSION,
      ["--tab <id>", "which tab; default: the one used last"],
      ["--out <file>", "where to put the PNG; default: standard output"],
      ["--watch", "again every second, until Ctrl-C"],
    ],
    run: view,
  });
}

async function view(shell: Shell, _args: readonly string[], options: Options): Promise<void> {
  const out = text(options, "out");
  const watch = options["watch"] === true;
  if (out === undefined && (process.stdout.isTTY || shell.json || watch))
    throw new DeputyError("BAD_USAGE", "A picture needs a file to go to", {
      hint: "For example: --out tab.png",
    });
  for (;;) {
    const seen = await shell.call("session.view", { ...idOf(options), ...given(options, "tab") });
    const png = Buffer.from(seen.png, "base64");
    if (out === undefined) process.stdout.write(png);
    else writeFileSync(resolve(out), png, { mode: 0o600 });
    if (!watch) {
      if (out !== undefined)
        shell.show({ file: resolve(out), url: seen.url, title: seen.title }, plain(`${out}  ${seen.url}`));
      return;
    }
    await sleep(WATCH_MS);
  }
}

function idOf(options: Options): { session: string } {
  const session = text(options, "session");
  if (session !== undefined) return { session };
  throw new DeputyError("BAD_USAGE", "Say which session: --session ID", { hint: "See deputy session list" });
}

function inputOf(options: Options): SessionOpenInput {
  const [saved, name] = [text(options, "from"), text(options, "new")];
  const flags = { blank: "blank", writeBack: "write_back", deletions: "deletions", expose: "expose" };
  const set = Object.entries(flags).flatMap(([option, field]) =>
    options[option] === true ? [[field, true]] : [],
  );
  const allow = list(options, "allow");
  return {
    ...given(options, "identity", "url", "adopt"),
    ...profileOf(options),
    ...(saved === undefined ? {} : { saved }),
    ...(name === undefined ? {} : { name }),
    ...Object.fromEntries(set),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

function line({ id, source, state, tabs }: SessionRow): string {
  const where = tabs.map(({ url, title }) => `  ${url}${title === "" ? "" : `  ${title}`}`);
  return [`${id}  ${source}${state === "open" ? "" : `  ${state}`}`, ...where].map(plain).join("\n");
}

function reportOf({ report }: SessionRow): string[] {
  const { cookies, logins, device_bound, storage, warnings } = report;
  const lines = [
    `${cookies.cloned} cookies cloned${cookies.refused.length === 0 ? "" : `, ${cookies.refused.length} refused`}`,
    ...few(
      logins.map(
        ({ domain, until }) => `  ${domain}: ${until === null ? "for this session" : `until ${until}`}`,
      ),
    ),
    ...few(
      cookies.refused.map(({ name, domain, reason }) => `  ${name || "(no name)"} of ${domain}: ${reason}`),
    ),
    ...few(
      device_bound.map(({ name, domain, reason }) => `  ${name} of ${domain} may be refused: ${reason}`),
    ),
    ...(storage.waiting === 0
      ? []
      : [`storage of ${storage.waiting ?? "the"} origins comes with their first visit`]),
    ...few(
      storage.lost.map(
        ({ origin, where, count, reason }) => `  ${count} of ${where} at ${origin}: ${reason}`,
      ),
    ),
    ...warnings,
  ];
  return lines.map(plain);
}

function few(lines: readonly string[]): string[] {
  const rest = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(rest > 0 ? [`  and ${rest} more (--json shows all)`] : [])];
}

function listing(rows: readonly SessionRow[]): string {
  return table(
    ["ID", "AGENT", "SOURCE", "STATE", "TABS", "USED"],
    rows.map((one) => [
      one.id,
      one.agent,
      one.name === "" ? one.source : `${one.source} (${one.name})`,
      one.state,
      String(one.tabs.length),
      one.used_at,
    ]),
  );
}

function savedTable(rows: readonly SavedRow[]): string {
  return table(
    ["NAME", "AGENT", "SOURCE", "COOKIES", "ORIGINS", "SAVED"],
    rows.map((one) => [
      one.name,
      one.agent,
      one.source,
      String(one.cookies),
      String(one.origins),
      one.saved_at,
    ]),
  );
}
