import { z } from "zod";
import type { VaultStatus } from "../../../engine/index.ts";
import { defineTool } from "../tool.ts";

export const statusTool = defineTool({
  name: "status",
  title: "Status",
  description: "Whether Deputy works: its engine, the vault, and what the user has allowed you.",
  input: z.strictObject({}),
  effect: "read",
  async call(_input, ask) {
    const [{ engine, vault }, grants] = await Promise.all([
      ask("status", {}, { repeatable: true }),
      ask("grants.list", {}, { repeatable: true }).catch(() => []),
    ]);
    const allowed = grants.map(({ id, skill, identity, read_only, status }) => {
      const where =
        identity === null
          ? ""
          : ` at ${identity.domain}${identity.account === null ? "" : ` as ${identity.account}`}`;
      const how = [...(read_only ? ["read only"] : []), ...(status === "active" ? [] : [status])].join(", ");
      return `- ${skill}${where} (${id}${how === "" ? "" : `, ${how}`})`;
    });
    const text = [
      `Deputy ${engine.version}, running for ${Math.round(engine.uptime_ms / 1000)} s.`,
      vaultLine(vault),
      allowed.length === 0
        ? "The user has allowed you nothing by name yet. A call that needs it says which command they run."
        : `Allowed to you: ${allowed.length}`,
      ...allowed,
    ].join("\n");
    return { text };
  },
});

function vaultLine({ state, rows, problem }: VaultStatus): string {
  switch (state) {
    case "none":
      return "There is no vault yet. The user makes one in a terminal: deputy setup";
    case "open":
      return `The vault is open: ${rows} login${rows === 1 ? "" : "s"}.`;
    case "locked":
    case "problem":
      return `The vault cannot be used: ${problem?.message ?? state}. ${problem?.hint ?? ""}`.trim();
  }
}
