import type { Command } from "commander";
import type { Check, LastContact, LastDelivery, VaultStatus } from "../../../engine/index.ts";
import { define } from "../define.ts";
import { minute, plain } from "../table.ts";
import { describeEngine } from "./engine.ts";

export function addStatus(program: Command): void {
  define(program, {
    usage: "status",
    summary: "what is here right now",
    example: "deputy status",
    async run(shell) {
      const status = await shell.call("status", {});
      shell.show(
        status,
        [
          `Home   ${status.home}`,
          describeEngine(status.engine),
          describeVault(status.vault),
          describeAgents(status.agents),
          ...status.deliveries.map(describeDelivery),
          ...status.peers.map(describePeer),
        ].join("\n"),
      );
    },
  });
  define(program, {
    usage: "doctor",
    summary: "look for what is wrong and say what to do",
    example: "deputy doctor",
    async run(shell) {
      const found = await shell.call("doctor", {});
      const verdict = found.ok ? "Nothing stands in the way." : "Something needs mending.";
      shell.show(found, `${found.checks.map(describeCheck).join("\n")}\n${verdict}`);
      return found.ok ? 0 : 1;
    },
  });
}

function describeAgents(count: number | null): string {
  if (count === null) return "Agents unknown: deputy doctor";
  return count === 0 ? "Agents none have called yet" : `Agents ${count} so far: deputy agents`;
}

function describeDelivery(last: LastDelivery): string {
  const counts = `${last.delivered} delivered, ${last.unchanged} unchanged, ${last.deleted} deleted, ${last.refused} refused`;
  const waiting = last.queued > 0 ? `, ${last.queued} waiting for the browser to exit` : "";
  return plain(`Last   ${minute(last.at)} UTC to ${last.target}: ${last.error ?? counts + waiting}`);
}

function describePeer({ name, role, at, error, version }: LastContact): string {
  const how = error ?? `well${version === null ? "" : `, Deputy ${version} there`}`;
  return plain(`Peer   ${name}, a ${role}, last ${minute(at)} UTC: ${how}`);
}

function describeVault(vault: VaultStatus): string {
  switch (vault.state) {
    case "none":
      return "Vault  none yet: deputy setup";
    case "open": {
      const rows = vault.rows === 1 ? "1 login" : `${vault.rows} logins`;
      const warning =
        vault.key === "file"
          ? "\n       who can read your files can open it: deputy vault rekey --key …"
          : "";
      return `Vault  ${rows}, key: ${vault.key}${warning}`;
    }
    case "locked":
    case "problem":
      return `Vault  ${vault.problem?.message ?? vault.state}${vault.problem?.hint ? `\n       ${vault.problem.hint}` : ""}`;
  }
}

const MARK = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

function describeCheck(check: Check): string {
  return `${MARK[check.status]}  ${check.message}${check.hint === undefined ? "" : `\n      ${check.hint}`}`;
}
