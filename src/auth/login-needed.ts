import { DeputyError, shellWord } from "../kernel/index.ts";
import type { Borrow, Found } from "./borrow.ts";
import type { Considered } from "./candidate.ts";
import type { Connection } from "./connection.ts";

/** What a person types to log in where this connection leads. Named in full: its skill may have others. */
export function loginCommand({ skill, domain, name }: Connection, account?: string): string {
  const whose = account === undefined ? "" : ` --account ${shellWord(account)}`;
  const where = skill === "" ? shellWord(domain) : `${shellWord(skill)} --connection ${shellWord(name)}`;
  return `deputy login ${where}${whose}`;
}

/** Says what was tried, and the command that mends it. */
export function loginNeeded(
  connection: Connection,
  { considered, reason }: Extract<Found, { kind: "needs-login" }>,
  { account, provider }: Pick<Borrow, "account" | "provider">,
): DeputyError {
  const { domain, helpUrl } = connection;
  const whose = account === undefined ? "" : ` of ${account}`;
  const looked = connection.auth?.type === "cookies" ? `${lookedIn(considered)} ` : "";
  const where = helpUrl === null ? "" : `. You get one at ${helpUrl}`;
  const kind = connection.auth?.type === "api_key" ? "key" : "login";
  // What the vault has was not asked for: to say there is none would be wrong.
  if (provider !== undefined && connection.auth?.type !== "cookies" && reason === undefined) {
    return new DeputyError("LOGIN_NEEDED", `${provider} has no ${kind}${whose} for ${domain}`, {
      hint: `Leave out --provider to use the one in the vault, or log in: ${loginCommand(connection, account)}`,
    });
  }
  const message =
    reason === undefined
      ? `There is no ${kind}${whose} for ${domain}`
      : `The ${kind}${whose} for ${domain} cannot be used: ${reason}`;
  return new DeputyError("LOGIN_NEEDED", message, {
    hint: `${looked}Log in: ${loginCommand(connection, account)}${where}`,
  });
}

/** Every place that was asked for cookies, and why it had no login. */
export function lookedIn(considered: readonly Considered[]): string {
  if (considered.length === 0) return "There is no browser to look in.";
  const tried = considered.map(({ provider, verdict, problem }) => {
    const why = problem ?? REASONS[verdict];
    return why === undefined ? provider : `${provider} (${why})`;
  });
  return `Looked in ${tried.join(", ")}.`;
}

export function severalAccounts(connection: Connection, accounts: readonly string[]): DeputyError {
  return new DeputyError(
    "BAD_USAGE",
    `There are several accounts at ${connection.domain}: ${accounts.join(", ")}`,
    {
      hint: `Say which: --account ${shellWord(accounts[0] ?? "")}`,
    },
  );
}

export function sessionExpired(connection: Connection, cause?: unknown): DeputyError {
  return new DeputyError("SESSION_EXPIRED", `${connection.domain} no longer takes the login`, {
    hint: `Log in again: ${loginCommand(connection)}`,
    cause,
  });
}

const REASONS: Partial<Record<Considered["verdict"], string>> = {
  "another-account": "another account",
  "failed-check": "logged out there",
  excluded: "just refused",
  empty: "no cookies",
  incomplete: "not logged in there",
};
