import { z } from "zod";
import type { Connection, NewSecret } from "../../auth/index.ts";
import type { Cookie } from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Skill } from "../skill.ts";
import { holdsHandle } from "./handles.ts";

const text = z.string().min(1).max(1024);

/** A secret as skills write it, in either spelling. */
const form = z.looseObject({
  domain: text.optional(),
  issuer: text.optional(),
  identifier: text.optional(),
  item_type: text.optional(),
  itemType: text.optional(),
  label: z.string().max(1024).nullish(),
  value: z.union([
    z.record(z.string(), z.unknown()),
    z.string().transform((text): Record<string, unknown> => ({ key: text })),
  ]),
});

/** Rows that are nobody's login. */
const RESERVED = new Set(["grants", "oauth_client"]);

export interface Obtained {
  readonly skill: Skill;
  readonly since: number;
  /** The identity namespace a host belongs to. */
  readonly fold: (host: string) => string;
  /** Puts secrets in place of the handles the code was given, where they are the domain's own. */
  readonly reveal: (domain: string, value: Readonly<Record<string, unknown>>) => unknown;
  /** The cookies of the login under way, for `{"from_jar": true}`. */
  readonly jar: (connection: Connection) => readonly Cookie[];
}

/** What a skill obtained, in the vault's words. Only for services the skill itself has a connection to. */
export function readNewSecret(given: unknown, obtained: Obtained): NewSecret {
  const { skill, since, fold, jar, reveal } = obtained;
  const parsed = form.safeParse(given);
  const host = parsed.data?.domain ?? parsed.data?.issuer;
  const itemType = (parsed.data?.item_type ?? parsed.data?.itemType)?.replace(/^cookie$/, "cookies");
  if (!parsed.success || host === undefined || itemType === undefined) {
    throw new DeputyError("SKILL_FAILED", `${skill.id} gave back a secret that cannot be stored`, {
      hint: "It needs domain (or issuer), item_type and value. Nothing was stored.",
    });
  }
  const domain = fold(host);
  const connection = [...skill.connections.values()].find((one) => one.domain === domain);
  if (connection === undefined) {
    throw new DeputyError(
      "DENIED",
      `${skill.id} may not store a login for ${domain}: it has no connection there`,
    );
  }
  const { identifier = "default", label = null } = parsed.data;
  const value = reveal(domain, parsed.data.value) as Record<string, unknown>;
  if (holdsHandle(value))
    throw new DeputyError("DENIED", `${skill.id} may not store another service's login under ${domain}`);
  // Names that begin so are Deputy's own: accounts nobody has named yet, the owner's OAuth client.
  if (identifier.startsWith("@") || !/^[a-z][a-z0-9_]{0,31}$/.test(itemType) || RESERVED.has(itemType)) {
    throw new DeputyError("DENIED", `${skill.id} may not store a ${itemType.slice(0, 32)} under that name`);
  }
  return {
    domain,
    identifier,
    itemType,
    value:
      value["from_jar"] === true
        ? { cookies: jar(connection) }
        : itemType === "cookies"
          ? { cookies: cookiesIn(value, domain, jar(connection)) }
          : value,
    label,
    source: skill.id,
    since,
  };
}

/** Records, a header, or names and values; of the latter the jar knows the rest, where they are its own. */
function cookiesIn(value: Record<string, unknown>, domain: string, known: readonly Cookie[]): unknown {
  const given = value["cookies"] ?? value["cookie"] ?? value["header"] ?? value;
  if (Array.isArray(given)) return given;
  const pairs =
    typeof given === "string"
      ? given.split(";").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
      : Object.entries(given ?? {});
  return pairs.flatMap(([name, text]) => {
    if (typeof text !== "string" || typeof name !== "string") return [];
    const bare = { name: name.trim(), value: text.trim() };
    const own = known.find((cookie) => cookie.name === bare.name && cookie.value === bare.value);
    return own ?? { ...bare, ...withinPrefix(bare.name, domain) };
  });
}

/** RFC 6265bis 4.1.3: a name may say how its cookie must be. Others are taken as the whole site's. */
function withinPrefix(name: string, domain: string): object {
  const secure = name.startsWith("__Host-") || name.startsWith("__Secure-");
  return { domain, hostOnly: name.startsWith("__Host-"), path: "/", ...(secure ? { secure } : {}) };
}
