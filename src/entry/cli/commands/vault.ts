import { resolve } from "node:path";
import type { Command } from "commander";
import type { VaultRow } from "../../../engine/index.ts";
import { DeputyError, visibleName } from "../../../kernel/index.ts";
import { define, given, group, type Options, text } from "../define.ts";
import { parseJson, readJson } from "../input.ts";
import { askHidden, isInteractive } from "../prompt.ts";
import { minute, plain, table } from "../table.ts";
import { KEY_OPTIONS, KEY_PLACES, keyInput, keyKind } from "../setup/vault-key.ts";

export function addVault(program: Command): void {
  const vault = group(program, "vault", "the encrypted store of your logins");
  addRows(vault);
  addCare(vault);
  addMoves(vault);
}

function addRows(vault: Command): void {
  define(vault, {
    usage: "list",
    summary: "what is there; never a value",
    example: "deputy vault list",
    async run(shell) {
      const rows = await shell.call("vault.list", {});
      shell.show(rows, rows.length === 0 ? "The vault is empty." : listing(rows));
    },
  });
  define(vault, {
    usage: "set <domain> <account>",
    summary: "store a login; its value comes as JSON on standard input",
    example: `echo '{"key": "…"}' | deputy vault set exa.ai joe@example.com --type api_key`,
    options: [
      ["--type <type>", "cookies, api_key, oauth, password, or another"],
      ["--label <text>", "a name of your own for it"],
    ],
    async run(shell, [domain = "", account = ""], options) {
      const type = requireType(options);
      const value = await loginValue(type);
      const input = { domain, account, type, value, ...given(options, "label") };
      const stored = await shell.call("vault.set", input);
      const verb = stored.replaced ? "Replaced" : "Stored";
      shell.show(
        stored,
        `${verb} the ${type} of ${plain(stored.identifier)} at ${stored.domain} (${stored.masked}).`,
      );
    },
  });
  define(vault, {
    usage: "remove <domain> <account>",
    summary: "remove an account's logins, or the one of a type",
    example: "deputy vault remove exa.ai joe@example.com --type api_key",
    options: [["--type <type>", "only this one"]],
    async run(shell, [domain = "", account = ""], options) {
      const done = await shell.call("vault.remove", { domain, account, ...given(options, "type") });
      shell.show(done, `Removed ${done.removed === 1 ? "1 login" : `${done.removed} logins`}.`);
    },
  });
  define(vault, {
    usage: "rename <domain> <account> <to>",
    summary: "give an account another name",
    example: "deputy vault list && deputy vault rename exa.ai default joe@example.com",
    async run(shell, [domain = "", account = "", to = ""]) {
      const done = await shell.call("vault.rename", { domain, account, to });
      shell.show(done, `Renamed ${done.renamed === 1 ? "1 login" : `${done.renamed} logins`}.`);
    },
  });
}

function addCare(vault: Command): void {
  define(vault, {
    usage: "unlock",
    summary: "give the engine the passphrase",
    example: "deputy vault unlock",
    async run(shell) {
      const done = await shell.call("vault.unlock", {
        passphrase: await shell.passphrase("Passphrase of the vault"),
      });
      shell.show(done, `Unlocked: ${done.rows} logins.`);
    },
  });
  define(vault, {
    usage: "verify",
    summary: "open every row and look for missing ones",
    example: "deputy vault verify",
    options: [
      ["--accept", "take the rows that are there as they are, after damage or a restored copy"],
      ["--remove-damaged", "remove the rows that cannot be opened"],
    ],
    async run(shell, _args, options) {
      const found = await shell.call("vault.verify", {
        accept: options["accept"] === true,
        remove_damaged: options["removeDamaged"] === true,
      });
      const lines = found.bad.map((row) =>
        plain(`${row.code}  ${row.item_type} of ${visibleName(row.identifier)} at ${row.domain}`),
      );
      if (found.problem !== undefined) lines.push(`${found.problem.code}  ${found.problem.message}`);
      if (found.problem?.hint !== undefined) lines.push(`  ${found.problem.hint}`);
      const whole = lines.length === 0;
      shell.show(found, whole ? `All ${found.rows} rows are in order.` : lines.join("\n"));
      return whole ? 0 : 1;
    },
  });
  define(vault, {
    usage: "rotate",
    summary: "seal every row with a new key and destroy the old one",
    example: "deputy vault rotate",
    async run(shell) {
      const done = await shell.call("vault.rotate", {});
      const lines = [`Sealed ${done.resealed} rows with a new key.`];
      if (done.unreadable > 0) lines.push(`${done.unreadable} could not be opened: see deputy vault verify.`);
      else if (!done.swept)
        lines.push("Traces of the old key may be left in the file: rotate again when the disk has room.");
      shell.show(done, lines.join("\n"));
      return done.unreadable === 0 ? 0 : 1;
    },
  });
  define(vault, {
    usage: "rekey",
    ownPassphrase: true,
    summary: "keep the vault's key elsewhere, or change its passphrase",
    example: "deputy vault rekey --key passphrase",
    options: KEY_OPTIONS,
    async run(shell, _args, options) {
      const done = await shell.call("vault.rekey", await keyInput(shell, keyKind(options), options));
      const warnings = done.warnings.map((warning) => `\nWarning: ${warning}`).join("");
      shell.show(done, `The vault's key is now ${KEY_PLACES[done.key]}.${warnings}`);
    },
  });
}

function addMoves(vault: Command): void {
  define(vault, {
    usage: "export <file>",
    ownPassphrase: true,
    summary: "all logins as one file sealed by a passphrase (the age format)",
    example: "deputy vault export logins.age",
    options: [["--force", "replace the file if it is there"]],
    async run(shell, [file = ""], options) {
      const passphrase = await shell.passphrase("Passphrase for the export", true);
      const overwrite = options["force"] === true;
      const done = await shell.call("vault.export", { path: resolve(file), passphrase, overwrite });
      const left = done.unreadable === 0 ? "" : ` ${done.unreadable} could not be opened and were left out.`;
      shell.show(done, `Exported ${done.rows} logins to ${done.path}.${left}`);
      return done.unreadable === 0 ? 0 : 1;
    },
  });
  define(vault, {
    usage: "import <file>",
    ownPassphrase: true,
    summary: "add the logins of an export; newer ones here stay",
    example: "deputy vault import logins.age",
    async run(shell, [file = ""]) {
      const passphrase = await shell.passphrase("Passphrase of the export");
      const done = await shell.call("vault.import", { path: resolve(file), passphrase });
      const refused =
        done.refused === 0 ? "" : ` ${done.refused} were not what their type says and were left out.`;
      shell.show(done, `Imported ${done.imported} logins; ${done.kept} here were as new or newer.${refused}`);
      return done.refused === 0 ? 0 : 1;
    },
  });
}

function requireType(options: Options): string {
  const type = text(options, "type");
  if (type !== undefined) return type;
  throw new DeputyError("BAD_USAGE", "Which type of login is it?", {
    hint: "Add --type api_key (or cookies, oauth, password).",
  });
}

/** On a terminal a key or password is asked for; everything else is JSON on standard input. */
async function loginValue(type: string): Promise<unknown> {
  if (!isInteractive()) return readJson();
  if (type === "api_key") return { key: await askHidden("API key") };
  if (type === "password") return { password: await askHidden("Password") };
  if (type === "cookies") return { cookies: await askHidden("Cookie header (name=value; …)") };
  return parseJson(await askHidden(`${type} as JSON`));
}

function listing(rows: readonly VaultRow[]): string {
  return table(
    ["DOMAIN", "ACCOUNT", "TYPE", "HINT", "SOURCE", "UPDATED", "LABEL"],
    rows.map((row) => [
      visibleName(row.domain),
      visibleName(row.identifier),
      visibleName(row.item_type),
      row.problem === undefined ? row.masked : `damaged (${row.problem})`,
      row.source,
      minute(row.updated_at ?? ""),
      row.label ?? "",
    ]),
  );
}
