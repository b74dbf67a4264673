import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { GrantRow, Methods } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, group, list, type Options, text } from "../define.ts";
import { minute, plain, table } from "../table.ts";

export function addGrants(program: Command): void {
  const grants = group(program, "grants", "who may use which login");
  define(grants, {
    usage: "list",
    summary: "what you have allowed",
    example: "deputy grants list",
    async run(shell) {
      const rows = await shell.call("grants.list", {});
      shell.show(rows, rows.length === 0 ? "Nothing is granted." : listing(rows));
    },
  });
  define(grants, {
    usage: "add",
    summary: "let a skill, or an agent, use a login",
    example: "deputy grants add --skill @curl --agent claude-code --identity exa.ai --read-only --expires 7d",
    options: [
      [
        "--skill <skill>",
        "a skill's id, or @session (browser sessions), @curl (requests), @cookies (values)",
      ],
      ["--identity <domain[/account]>", "the login; without an account, the first one it is used with"],
      ["--every-account", "all accounts of the domain, those to come too"],
      ["--agent <agent>", "who may; * is whoever asks (default: you)"],
      ["--operations <names>", "only these, with commas between"],
      ["--read-only", "nothing that changes anything"],
      ["--expires <when>", "30m, 12h, 7d, 4w, or a date such as 2030-12-31"],
      ["--expose", "its code may see the credential itself"],
      [
        "--allow <what...>",
        "binary:git, network, path:/a/folder, hosts:any; several with commas, or given again",
      ],
    ],
    async run(shell, _args, options) {
      const done = await shell.call("grants.add", wanted(options));
      const instead = done.replaced.length === 0 ? "" : ` It takes the place of ${done.replaced.join(", ")}.`;
      const { id, hosts } = done.grant;
      const where = hosts.length === 0 ? "" : plain(` The login can go to ${hosts.join(", ")}.`);
      shell.show(done, `Allowed: ${plain(sentence(done.grant))} (${id}).${where}${instead}`);
    },
  });
  define(grants, {
    usage: "remove <id>",
    summary: "take a permission back",
    example: "deputy grants list && deputy grants remove ID",
    async run(shell, [id = ""]) {
      const done = await shell.call("grants.remove", { id });
      shell.show(done, `No longer allowed: ${plain(sentence(done.removed))}.`);
    },
  });
}

function wanted(options: Options): Methods["grants.add"]["in"] {
  const skill = text(options, "skill");
  if (skill === undefined) {
    throw new DeputyError("BAD_USAGE", "Which skill is it?", {
      hint: "Add --skill exa (or @session, @curl, @cookies).",
    });
  }
  const operations = text(options, "operations");
  const allow = list(options, "allow").flatMap(allowances);
  return {
    skill,
    every_account: options["everyAccount"] === true,
    read_only: options["readOnly"] === true,
    expose: options["expose"] === true,
    ...given(options, "identity", "agent", "expires"),
    ...(operations === undefined ? {} : { operations: operations.split(",").map((name) => name.trim()) }),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

/** A path may hold a comma: only one before another allowance separates. The shell leaves ~ after a colon alone. */
function allowances(given: string): string[] {
  return given.split(/,\s*(?=network|hosts:|binary:|path:)/).map((one) => {
    if (!one.startsWith("path:")) return one;
    const path = one.slice("path:".length);
    return `path:${resolve(path.replace(/^~(?=$|[\\/])/, () => homedir()))}`;
  });
}

function sentence(grant: GrantRow): string {
  const { identity } = grant;
  const who = grant.agent === "*" ? "whoever asks" : grant.agent === "owner" ? "you" : grant.agent;
  const how = identity === null ? "without a login" : `as ${account(identity)} at ${identity.domain}`;
  return [`${who} may use ${grant.skill} ${how}`, ...limits(grant)].join(", ");
}

function account(identity: NonNullable<GrantRow["identity"]>): string {
  if (identity.account !== null) return identity.account;
  return identity.pending ? "the first account used" : "every account";
}

function limits(grant: GrantRow): string[] {
  return [
    ...(grant.operations === null ? [] : [`only ${grant.operations.join(", ")}`]),
    ...(grant.read_only ? ["read-only"] : []),
    ...(grant.expose ? ["sees the credential"] : []),
    ...grant.allow,
    ...(grant.expires === null ? [] : [`until ${minute(grant.expires)} UTC`]),
  ];
}

function listing(rows: readonly GrantRow[]): string {
  return table(
    ["ID", "AGENT", "SKILL", "DOMAIN", "ACCOUNT", "CAN GO TO", "LIMITS", "STATUS"],
    rows.map((row) => [
      row.id,
      row.agent,
      row.skill,
      row.identity?.domain ?? "",
      row.identity === null ? "" : account(row.identity),
      row.hosts.join(", "),
      limits(row).join("; "),
      row.status,
    ]),
  );
}
