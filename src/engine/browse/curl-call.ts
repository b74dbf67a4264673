import type { Grants } from "../../access/index.ts";
import {
  type Borrow,
  type Connection,
  isRefusal,
  type Lender,
  type Loan,
  sessionExpired,
  severalAccounts,
} from "../../auth/index.ts";
import type { InResponse } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { BuiltInPermit } from "../grants/built-in-permit.ts";
import type { Calls, Methods } from "../methods.ts";
import { cookieBorrow, type IdentifyBy, storedAccounts } from "../logins/site-borrow.ts";
import { nobodyPlaces, type SkillsAt } from "../logins/skills-at.ts";
import { foldDomain } from "../../vault/index.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly skillsAt: SkillsAt;
  readonly lender: () => Promise<Lender>;
  readonly grants: () => Promise<Grants>;
  readonly identifyBy: IdentifyBy;
}

interface Answered {
  readonly response: InResponse;
  readonly loan: Loan;
}

/** A request of the owner's own as one of their identities: chosen by the URL's domain, written back as it rotates. */
export function createCurlCall(parts: Parts): Calls<"curl"> {
  return {
    curl: async (query, { caller, signal, progress }) => {
      const body = query.body === undefined ? {} : { body: Buffer.from(query.body, "base64") };
      const request = { method: query.method, url: query.url, headers: query.headers, ...body };
      const use = {
        caller,
        subject: "@curl",
        operation: query.method,
        effect: effectOf(query.method),
      } as const;
      const permit = await BuiltInPermit.for(parts.grants, use);
      permit.requireAny(foldDomain(query.url), query.account);
      const send = async (loan: Loan) => {
        permit.requireIdentity(loan.identity);
        return { loan, response: await loan.send(request, { signal }) };
      };

      const lender = await parts.lender();
      const borrow = { ...(await borrowFor(parts, lender, query)), signal };
      const { response, loan } = await answeredBy(lender, borrow, send);
      for await (const chunk of response.body) {
        progress({ message: "body", chunk: Buffer.from(chunk).toString("base64") });
      }
      const { status, url, headers } = response;
      return { status, url, headers, account: loan.identity?.identifier ?? "", provider: loan.provider };
    },
  };
}

function effectOf(method: string): "read" | "write" | "destructive" {
  if (/^(GET|HEAD|OPTIONS)$/.test(method)) return "read";
  return method === "DELETE" ? "destructive" : "write";
}

/**
 * Cookies where the vault has a login's; else the key or token an allowed skill's connection has for this very origin;
 * else what the browsers have. A key goes before a browser: somebody who once looked at an API's pages has cookies there too.
 */
async function borrowFor(parts: Parts, lender: Lender, query: Methods["curl"]["in"]): Promise<Borrow> {
  const { account, provider } = query;
  const cookies = await cookieBorrow(parts, lender, query);
  const vault = await parts.door.get();
  const stored = (connection: Connection) => storedAccounts(vault, connection, account);
  if (provider !== undefined || stored(cookies.connection).length > 0) return cookies;
  const { allowed, others } = await parts.skillsAt.keysFor(query.url);
  const keys = allowed.map(({ connection }) => connection);
  const [key] = keys.filter((one) => stored(one).length > 0);
  const accounts = [...new Set(keys.flatMap(stored))];
  if (key !== undefined && accounts.length > 1) throw severalAccounts(key, accounts);
  if (key !== undefined) return { connection: key, account };
  // Nobody has logged in yet: by cookies if a browser has some, else as the skill that knows the place says.
  const [described] = [...keys, ...others.map(({ connection }) => connection)];
  if (described === undefined || cookies.connection.skill !== "") return cookies;
  const found = await lender.find(cookies);
  if (found.kind !== "needs-login") return cookies;
  if (!keys.includes(described) && stored(described).length > 0) throw nobodyPlaces(described);
  return { connection: described, account };
}

/** A refusal is tried with another login, and shown as it is where there is none. */
async function answeredBy(
  lender: Lender,
  borrow: Borrow,
  send: (loan: Loan) => Promise<Answered>,
): Promise<Answered> {
  let refused: Answered | undefined;
  try {
    return await lender.use(borrow, async (loan) => {
      const answered = await send(loan);
      if (!isRefusal(answered.response)) return answered;
      refused = answered;
      throw sessionExpired(borrow.connection);
    });
  } catch (error) {
    if (refused !== undefined && error instanceof DeputyError && error.code === "SESSION_EXPIRED")
      return refused;
    throw error;
  }
}
