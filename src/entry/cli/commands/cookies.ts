import type { Command } from "commander";
import type { BrowserRow, Methods } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, oneOf, type Options, profileOf } from "../define.ts";
import { plain, table } from "../table.ts";

type Query = Methods["cookies"]["in"];

const FORMATS = ["header", "json", "netscape", "storage-state"] as const;

export function addCookies(program: Command): void {
  define(program, {
    usage: "browsers",
    summary: "the browser profiles on this machine and how many cookies each has",
    example: "deputy browsers",
    async run(shell) {
      const rows = await shell.call("browsers", {});
      shell.show(rows, rows.length === 0 ? "No browser profiles were found for this user." : listing(rows));
    },
  });
  define(program, {
    usage: "cookies",
    summary: "the cookies a request would carry, from one browser profile or one account",
    example: "deputy cookies --url https://example.com/ --browser firefox --format netscape",
    options: [
      ["--url <url>", "for a request to this address"],
      ["--domain <host>", "for this host, whatever the path"],
      [
        "--browser <name>",
        "from this browser (see deputy browsers), or a running one: http://127.0.0.1:9222",
      ],
      ["--profile <profile>", "from this profile: its name or its folder"],
      ["--account <account>", "from this account in the vault"],
      ["--format <format>", `${FORMATS.join(", ")} (default: header)`],
    ],
    async run(shell, _args, options) {
      const query = queryOf(options, shell.json);
      const found = await shell.call("cookies", query);
      for (const warning of found.warnings) process.stderr.write(`deputy: ${plain(warning)}\n`);
      // Nothing found is nothing printed, unless what was asked for is a document.
      if (found.count === 0 && (query.format === "header" || query.format === "netscape")) return;
      process.stdout.write(found.text.endsWith("\n") ? found.text : `${found.text}\n`);
    },
  });
}

function queryOf(options: Options, json: boolean): Query {
  const format = oneOf(options, "format", FORMATS) ?? (json ? "json" : "header");
  if (json && format !== "json" && format !== "storage-state") {
    throw new DeputyError("BAD_USAGE", `The format ${format} is not JSON`, {
      hint: "Leave out --json, or --format.",
    });
  }
  return { format, ...given(options, "url", "domain", "browser", "account"), ...profileOf(options) };
}

function listing(rows: readonly BrowserRow[]): string {
  const lines = table(
    ["BROWSER", "PROFILE", "COOKIES", "READABLE", "PATH"],
    rows.map((row) => [row.browser, row.profile, String(row.cookies), row.readable ? "yes" : "no", row.path]),
  );
  const warnings = rows.flatMap((row) =>
    row.warnings.map((warning) => plain(`${row.browser} ${row.profile}: ${warning.message}`)),
  );
  return [lines, ...warnings].join("\n");
}
