import type { Connection } from "../../auth/index.ts";
import { resultSchema, type ShapeBook } from "../../graph/index.ts";
import {
  describeProblem,
  type LibraryEntry,
  type Operation,
  type Param,
  type Problem,
  type Returns,
  type Skill,
} from "../../skills/index.ts";
import type { Logins } from "./logins-of.ts";
import type { SkillDetails, SkillProblem, SkillRow, SkillTool } from "./skill-methods.ts";

export function asRow(entry: LibraryEntry, logins: Logins): SkillRow {
  const { id, name, skill, origin, folder, shadows } = entry;
  return {
    id,
    name,
    description: skill?.description ?? "",
    ...standing(entry, logins),
    operations: [...(skill?.operations.values() ?? [])]
      .filter((one) => !one.resolverOnly)
      .map((one) => one.name),
    origin,
    folder,
    dev: skill?.dev ?? false,
    shadows: shadows.map((one) => one.folder),
  };
}

export function asDetails(
  entry: LibraryEntry,
  skill: Skill,
  logins: Logins,
  shapes: ShapeBook,
): SkillDetails {
  return {
    ...asRow(entry, logins),
    website: skill.website,
    pin: skill.pin,
    ancestor: skill.ancestor,
    readme: skill.readme,
    connections: [...skill.connections.values()].map((one) => ({
      name: one.name,
      domain: one.domain,
      base_url: one.baseUrl?.href ?? null,
      mode: one.mode,
      auth: one.auth?.type ?? "none",
      optional: one.optional,
      hosts: one.hosts,
      description: one.description ?? one.label,
      help_url: one.helpUrl,
    })),
    tools: [...skill.operations.values()].map((one) => asTool(one, shapes)),
    provides: skill.provides.map((one) => ({
      what: one.kind === "tool" ? one.tool : `login: ${one.auth}`,
      via: one.via,
      urls: one.kind === "tool" ? one.urls : [],
    })),
    warnings: skill.warnings.map(asProblem),
  };
}

export function asProblem({ message, hint, file, line, column }: Problem): SkillProblem {
  const place = line === undefined || column === undefined ? {} : { line, column };
  return { message, ...(hint === undefined ? {} : { hint }), file, ...place };
}

/** Ready where something of it can be called: a skill with a second, unused login is not unready. */
function standing({ skill, problems }: LibraryEntry, logins: Logins): Pick<SkillRow, "status" | "reason"> {
  if (skill === undefined) {
    const first = problems.find(({ severity }) => severity === "error");
    return { status: "broken", reason: first === undefined ? "unknown" : describeProblem(first) };
  }
  const operations = [...skill.operations.values()];
  if (operations.length === 0 || operations.some((one) => canRun(one, skill, logins)))
    return { status: "ready" };
  const wanting = [...skill.connections.values()].filter((one) => one.auth !== null);
  const domains = [...new Set(wanting.map(({ domain }) => domain))].join(", ");
  const reason = logins.known ? `no login at ${domains}` : "the vault is locked";
  return { status: "needs-login", reason };
}

function canRun(operation: Operation, skill: Skill, logins: Logins): boolean {
  if (operation.connections.length === 0 || operation.anonymous) return true;
  const connections = operation.connections.flatMap((name) => skill.connections.get(name) ?? []);
  return connections.some((connection) => isUsable(connection, logins));
}

function isUsable({ auth, optional, domain }: Connection, logins: Logins): boolean {
  return auth === null || optional || logins.has(domain, auth.type);
}

function asTool(operation: Operation, shapes: ShapeBook): SkillTool {
  return {
    name: operation.name,
    description: operation.description,
    effect: operation.effect,
    executor: operation.executor.kind,
    connections: operation.connections,
    params: [...operation.params.values()].map(asParam),
    returns: asWritten(operation.returns),
    returns_schema: resultSchema(shapes, operation.returns) ?? null,
    internal: operation.resolverOnly,
  };
}

export function asParam(param: Param): SkillTool["params"][number] {
  return {
    name: param.name,
    type: param.type,
    required: param.required,
    ...(param.default === undefined ? {} : { default: param.default }),
    ...(param.enum === null ? {} : { enum: param.enum }),
    ...(param.description === null ? {} : { description: param.description }),
  };
}

export function asWritten(returns: Returns): unknown {
  switch (returns.kind) {
    case "shape":
      return returns.many ? `${returns.shape}[]` : returns.shape;
    case "fields":
      return returns.many ? [returns.fields] : returns.fields;
    case "value":
      return returns.type;
    case "nothing":
      return "void";
    case "unknown":
      return null;
  }
}
