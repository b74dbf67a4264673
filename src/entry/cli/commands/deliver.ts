import type { Command } from "commander";
import type { DeliverInput, DeliveryRow, PolicyShown } from "../../../engine/index.ts";
import { define, given, group, list, oneOf, type Options, profileOf } from "../define.ts";
import { plain } from "../table.ts";

const SURFACES = ["chromium", "sidecar", "files", "live"] as const;
/** Reasons shown before the rest is only counted. */
const SHOWN = 5;

export function addDeliver(program: Command): void {
  define(program, {
    usage: "deliver",
    summary: "put the vault's cookie logins where other programs look",
    example: "deputy deliver --surface sidecar --domain example.com",
    options: [
      ["--surface <surface>", `only this one: ${SURFACES.join(", ")} (default: those config.yaml enables)`],
      ["--profile <profile>", "the browser profile for chromium: its name or its folder"],
      ["--endpoint <url>", "the running browser for live: http://127.0.0.1:9222"],
      ["--domain <host...>", "only the logins at these"],
      ["--account <account>", "which account, where a domain has several"],
      ["--device-bound", "also cookies that are probably refused on another machine"],
      ["--watch", "go on with every change, until Ctrl-C"],
      ["--restart-browser", "have a running browser quit, and start it again afterwards"],
    ],
    async run(shell, _args, options) {
      const input = inputOf(options);
      if (options["watch"] === true) {
        await shell.call("deliver.watch", input, ({ surfaces }) => {
          if (surfaces === undefined) return;
          process.stdout.write(
            `${shell.json ? JSON.stringify({ surfaces }) : surfaces.map(inWords).join("\n")}\n`,
          );
        });
        return 0;
      }
      const done = await shell.call("deliver", input);
      shell.show(done, done.surfaces.map(inWords).join("\n"));
      return done.surfaces.some(({ error }) => error !== undefined) ? 1 : 0;
    },
  });
  addPolicy(program);
}

function addPolicy(program: Command): void {
  const policy = group(program, "policy", "which logins may go to surfaces and peers");
  define(policy, {
    usage: "show",
    summary: "the rules in policy.yaml",
    example: "deputy policy show",
    async run(shell) {
      const shown = await shell.call("policy.show", {});
      shell.show(shown, rulesInWords(shown));
    },
  });
  define(policy, {
    usage: "allow <pattern>",
    summary: "let logins of a host and all below it move",
    example: "deputy policy allow example.com",
    options: [["--only", "and nothing that is not listed"]],
    async run(shell, [pattern = ""], options) {
      const only = options["only"] === true;
      const shown = await shell.call("policy.set", { list: "allow", pattern, ...(only ? { only } : {}) });
      shell.show(shown, rulesInWords(shown));
    },
  });
  define(policy, {
    usage: "block <pattern>",
    summary: "keep logins of a host and all below it here",
    example: "deputy policy block bank.example",
    async run(shell, [pattern = ""]) {
      const shown = await shell.call("policy.set", { list: "block", pattern });
      shell.show(shown, rulesInWords(shown));
    },
  });
}

function inputOf(options: Options): DeliverInput {
  const place = profileOf(options);
  // Only one surface has profiles.
  const surface =
    oneOf(options, "surface", SURFACES) ?? (place.profile === undefined ? undefined : "chromium");
  const domains = list(options, "domain");
  return {
    ...(surface === undefined ? {} : { surface }),
    ...place,
    ...given(options, "endpoint", "account"),
    ...(domains.length === 0 ? {} : { domains }),
    ...(options["deviceBound"] === true ? { device_bound: true } : {}),
    ...(options["restartBrowser"] === true ? { restart_browser: true } : {}),
  };
}

function inWords(row: DeliveryRow): string {
  const counts = [
    `${row.delivered} delivered`,
    `${row.unchanged} unchanged`,
    ...(row.deleted > 0 ? [`${row.deleted} deleted`] : []),
    ...(row.queued ? [`${row.queued} waiting for the browser to exit`] : []),
  ];
  const refused = row.refused.length - (row.queued ?? 0);
  if (refused > 0) counts.push(`${refused} refused`);
  const lines = [`${row.surface}  ${row.target}: ${counts.join(", ")}`];
  if (row.error !== undefined)
    lines.push(`  ${row.error.message}`, ...(row.error.hint ? [`  ${row.error.hint}`] : []));
  else if (refused > 0) {
    const told = row.refused.slice(0, SHOWN);
    lines.push(...told.map(({ name, domain, reason }) => `  ${name || "(no name)"} of ${domain}: ${reason}`));
    if (row.refused.length > told.length)
      lines.push(`  and ${row.refused.length - told.length} more (--json shows all)`);
  }
  return lines.map(plain).join("\n");
}

function rulesInWords({ path, mode, allow, block, peers }: PolicyShown): string {
  const lines = [
    mode === "allowlist" ? "Only what is allowed moves." : "Everything moves but what is blocked.",
    ...(allow.length > 0 ? [`Allowed: ${allow.join(", ")}`] : []),
    ...(block.length > 0 ? [`Blocked: ${block.join(", ")}`] : []),
    ...Object.keys(peers).map((peer) => `${peer} has rules of its own.`),
    path,
  ];
  return lines.map(plain).join("\n");
}
