import { z } from "zod";
import type { VaultRow } from "../../../engine/index.ts";
import type { DeputyError } from "../../../kernel/index.ts";
import { type Ask, defineTool } from "../tool.ts";

interface Account {
  readonly account: string;
  readonly domain: string;
  readonly types: readonly string[];
  readonly label: string | null;
}

const accountSchema = z.object({
  account: z.string(),
  domain: z.string(),
  types: z.array(z.string()).describe("What kind of login it is: cookies, api_key, oauth, …"),
  label: z.string().nullable(),
});

export const accountsTool = defineTool({
  name: "accounts",
  title: "Accounts",
  description:
    "Lists the user's accounts Deputy has logins for, one a line. It never shows a login itself. Use the name as `account` in run.",
  input: z.strictObject({
    domain: z.string().optional().describe("Only those at this service, such as github.com"),
  }),
  output: z.object({ accounts: z.array(accountSchema) }),
  effect: "read",
  async call({ domain }, ask) {
    const accounts = (await accountsOf(ask)).filter((one) => domain === undefined || one.domain === domain);
    const none = domain === undefined ? "There are no accounts yet." : `There is no account at ${domain}.`;
    const text =
      accounts.length === 0
        ? `${none} The user adds one in a terminal: deputy login ${domain ?? "NAME"}`
        : [
            `${accounts.length} account${accounts.length === 1 ? "" : "s"}`,
            ...accounts.map(accountLine),
          ].join("\n");
    return { text, data: { accounts } };
  },
});

/** Whose logins there are: names only. Where there is no vault yet, there are none. */
export async function accountsOf(ask: Ask): Promise<Account[]> {
  const rows = await ask("vault.list", {}, { repeatable: true }).catch((error: DeputyError) => {
    if (error.code === "NOT_SET_UP") return [];
    throw error;
  });
  const found = new Map<string, VaultRow[]>();
  for (const row of rows) found.getOrInsertComputed(`${row.domain}\n${row.identifier}`, () => []).push(row);
  return [...found.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { identifier: account, domain } = first;
    const label = all.find((one) => one.label !== null)?.label ?? null;
    return [{ account, domain, types: all.map((one) => one.item_type), label }];
  });
}

function accountLine({ account, domain, types, label }: Account): string {
  return `- ${account} (${domain}, ${types.join(", ")})${label === null ? "" : `: ${label}`}`;
}
