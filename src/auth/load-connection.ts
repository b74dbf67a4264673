import type { Expressions, Program, Template } from "../expressions/index.ts";
import { connectionDomain } from "../vault/index.ts";
import type { Auth, Check, Connection, Placement } from "./connection.ts";
import type { CheckForm, ConnectionForm } from "./connection-form.ts";

interface Where {
  readonly skill: string;
  readonly name: string;
}

type Fields = Record<string, Template> | undefined;

/** A connection with every expression in it compiled, so that a wrong one is found when the skill is loaded. */
export async function loadConnection(
  form: ConnectionForm,
  { skill, name }: Where,
  expressions: Expressions,
): Promise<Connection> {
  const where = (field: string) => ({ skill, field: `connections.${name}.${field}` });

  const placed = async (fields: Fields, field: string): Promise<Program | null> =>
    fields === undefined
      ? null
      : expressions.compile(fields, { where: where(`auth.${field}`), roots: ["auth", "connection"] });

  const placement = async (from: { header?: Fields; query?: Fields; body?: Fields }): Promise<Placement> => ({
    header: await placed(from.header, "header"),
    query: await placed(from.query, "query"),
    body: await placed(from.body, "body"),
  });

  const answer = async (expression: string | undefined, field: string): Promise<Program | null> =>
    expression === undefined
      ? null
      : expressions.compileExpression(expression, { where: where(`auth.check.${field}`), roots: "any" });

  const check = async (from: CheckForm | undefined): Promise<Check | null> =>
    from === undefined
      ? null
      : {
          url: from.url,
          expectStatus: from.expect_status,
          identifier: await answer(from.identifier, "identifier"),
          display: await answer(from.display, "display"),
        };

  const auth = async (from: ConnectionForm["auth"]): Promise<Auth | null> => {
    switch (from?.type) {
      case "api_key":
        return { type: "api_key", placement: await placement(from), check: await check(from.check) };
      case "cookies":
        return { type: "cookies", names: from.names, check: await check(from.check), login: from.login };
      case "oauth":
        return {
          type: "oauth",
          service: from.service ?? null,
          scopes: from.scopes,
          clientId: from.client_id ?? null,
          authUrl: from.auth_url ?? null,
          tokenUrl: from.token_url ?? null,
          deviceUrl: from.device_url ?? null,
          authParams: from.auth_params,
          placement: (from.header ?? from.query ?? from.body) ? await placement(from) : null,
          check: await check(from.check),
        };
      case "none":
      case undefined:
        return null;
    }
  };

  const authDomain = form.auth?.type === "cookies" ? form.auth.domain : undefined;
  return {
    skill,
    name,
    domain: connectionDomain({ domain: form.domain, authDomain, baseUrl: form.base_url, skillId: skill }),
    baseUrl: baseUrlOf(form, authDomain),
    // The api mode has no jar: a cookie login in it would be resolved and never sent.
    mode: form.mode ?? (form.auth?.type === "cookies" ? "browser" : "api"),
    auth: await auth(form.auth),
    optional: form.optional,
    hosts: form.hosts,
    label: form.label ?? null,
    helpUrl: form.help_url ?? null,
    description: form.description ?? null,
    vars: form.vars,
    sqlite: form.sqlite ?? null,
  };
}

/** A cookie connection that only names its domain is reached there. */
function baseUrlOf(form: ConnectionForm, authDomain: string | undefined): URL | null {
  if (form.base_url !== undefined) return new URL(form.base_url);
  const host = authDomain?.replace(/^\.+/, "");
  return host === undefined || !URL.canParse(`https://${host}/`) ? null : new URL(`https://${host}/`);
}
