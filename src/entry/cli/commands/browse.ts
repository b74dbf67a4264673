import type { Command } from "commander";
import type { AuthTrace, CookieTrace, HopTrace } from "../../../engine/index.ts";
import { define, given, group } from "../define.ts";
import { plain, table } from "../table.ts";
import { addBrowseCapture } from "./browse-capture.ts";
import { requestOf } from "./curl.ts";

const WHICH = [
  ["--connection <name>", "which of the skill's connections"],
  ["--account <account>", "which account, where there are several"],
  ["--provider <provider>", "only the login of this browser: chromium, firefox:Work"],
] as const;

export function addBrowse(program: Command): void {
  const browse = group(program, "browse", "what Deputy would send and why, without a single value");
  define(browse, {
    usage: "auth <skill|domain>",
    summary: "which login would be used, and why the others would not",
    example: "deputy browse auth github.com",
    options: WHICH,
    async run(shell, [target = ""], options) {
      const trace = await shell.call("browse.auth", {
        target,
        ...given(options, "connection", "account", "provider"),
      });
      shell.show(trace, inWords(trace));
      return trace.outcome === "needs-login" ? 3 : 0;
    },
  });
  define(browse, {
    usage: "cookies <skill|domain>",
    summary: "every cookie there is for it, and where each comes from",
    example: "deputy browse cookies github.com",
    options: WHICH,
    async run(shell, [target = ""], options) {
      const rows = await shell.call("browse.cookies", {
        target,
        ...given(options, "connection", "account", "provider"),
      });
      shell.show(rows, rows.length === 0 ? "There are none." : listing(rows));
    },
  });
  define(browse, {
    usage: "request <skill|domain> <url>",
    summary: "a real request, with the headers of both sides and the credentials masked",
    example: "deputy browse request github.com https://github.com/settings/profile",
    options: [
      ...WHICH,
      ["-X, --request <method>", "GET, or POST where there is data"],
      ["-H, --header <header...>", "Name: value; may be given several times"],
      ["-d, --data <data>", "the body; @file reads a file, @- standard input"],
    ],
    async run(shell, [target = "", url = ""], options) {
      const { account: _account, provider: _provider, ...request } = requestOf(url, options);
      const answer = await shell.call("browse.request", {
        ...request,
        target,
        ...given(options, "connection", "account", "provider"),
      });
      const as = answer.account === null ? "as nobody" : `as ${answer.account}, from ${answer.provider}`;
      const end = `${answer.bytes} bytes ${as}`;
      shell.show(answer, [...answer.hops.map(hopInWords), plain(end)].join("\n\n"));
    },
  });
  addBrowseCapture(browse);
}

function inWords(trace: AuthTrace): string {
  const end = {
    resolved: `${trace.domain} as ${trace.account ?? ""}, from ${trace.provider ?? ""}`,
    "needs-login": `There is no login for ${trace.domain}: ${trace.login ?? ""}`,
    ambiguous: `Several accounts at ${trace.domain}: ${trace.accounts.join(", ")}. Say which: --account`,
    anonymous: `${trace.domain} as nobody`,
  }[trace.outcome];
  const rows = trace.considered.map((one) => [
    one.provider,
    one.account ?? "",
    trace.type === "cookies" ? String(one.cookies) : "",
    one.newest_at ?? "",
    `${one.verdict}: ${one.problem ?? one.why}`,
  ]);
  const list = rows.length === 0 ? [] : [table(["FROM", "ACCOUNT", "COOKIES", "NEWEST", "VERDICT"], rows)];
  return [plain(`${end} (${trace.duration_ms} ms)`), ...list].join("\n");
}

function listing(rows: readonly CookieTrace[]): string {
  return table(
    ["NAME", "DOMAIN", "PATH", "FROM", "ACCOUNT", "UPDATED", "EXPIRES", "KIND"],
    rows.map((one) => [
      one.name,
      one.domain,
      one.path,
      one.from,
      one.account ?? "",
      one.updated_at,
      one.expires_at ?? "with the session",
      one.kind,
    ]),
  );
}

function hopInWords({ method, url, sent, status, received }: HopTrace): string {
  const lines = (mark: string, headers: HopTrace["sent"]) =>
    headers.map(([name, value]) => `${mark} ${plain(`${name}: ${value}`)}`);
  return [plain(`> ${method} ${url}`), ...lines(">", sent), `< ${status}`, ...lines("<", received)].join(
    "\n",
  );
}
