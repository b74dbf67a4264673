import type { ResultSchema, SkillDetails, SkillRow, SkillTool } from "../../../engine/index.ts";

/** `Exa (exa): Semantic web search` */
export function skillLine({ id, name, description, status, reason }: SkillRow): string {
  const what = description === "" ? "" : `: ${oneLine(description)}`;
  switch (status) {
    case "ready":
      return `- ${name} (${id})${what}`;
    case "needs-login":
      return `- ${name} (${id})${what}. ${reason ?? "no login"}; the user runs: deputy login ${id}`;
    case "broken":
      return `- ${name} (${id}): cannot be used, ${reason ?? "its files are not right"}`;
  }
}

/** Everything a model needs to call one skill, and nothing else. */
export function skillManual(skill: SkillDetails, accounts: readonly string[]): string {
  const tools = callable(skill);
  const kinds = new Map(tools.flatMap((tool) => [...kindsIn(tool.returns_schema ?? {})]));
  return [
    `# ${skill.name} (${skill.id})`,
    ...(skill.description === "" ? [] : [oneLine(skill.description)]),
    "",
    standing(skill),
    ...(accounts.length === 0 ? [] : [`Accounts: ${accounts.join(", ")}`]),
    "",
    `## Operations (${tools.length})`,
    ...tools.flatMap((tool) => operation(skill.id, tool)),
    ...(kinds.size === 0 ? [] : ["", "## What comes back", ...[...kinds.values()].map(kindLine)]),
    ...(skill.readme === null ? [] : ["", "## Readme", skill.readme.trim()]),
  ].join("\n");
}

/** Those a caller may name. */
export function callable({ tools }: SkillDetails): SkillTool[] {
  return tools.filter(({ internal }) => !internal);
}

/** Every kind of thing a result can have in it, by name. */
function* kindsIn(schema: ResultSchema): Generator<[string, ResultSchema]> {
  if (schema.title !== undefined) yield [schema.title, schema];
  else for (const inner of Object.values(schema.properties ?? {})) yield* kindsIn(inner);
  if (schema.items !== undefined) yield* kindsIn(schema.items);
}

/** `- webpage: name, url, status (integer), links_to (refers to webpage[])` */
function kindLine({ title, properties = {} }: ResultSchema): string {
  const fields = Object.entries(properties).map(([name, { type, description, items }]) => {
    const kind = type === "array" ? `${items?.type ?? "json"}[]` : type;
    const said = type === undefined ? (description ?? "json") : kind === "string" ? "" : kind;
    return said === "" ? name : `${name} (${said})`;
  });
  return `- ${title}: ${fields.join(", ")}`;
}

function standing({ id, status, reason }: SkillRow): string {
  switch (status) {
    case "ready":
      return "It can be used now.";
    case "needs-login":
      return `It needs a login (${reason ?? "there is none"}). Ask the user to run this in a terminal: deputy login ${id}`;
    case "broken":
      return `It cannot be used: ${reason ?? "its files are not right"}`;
  }
}

function operation(
  skill: string,
  { name, description, effect, params, returns, connections }: SkillTool,
): string[] {
  const example = Object.fromEntries(
    params.filter(({ required }) => required).map((one) => [one.name, placeholder(one.type)]),
  );
  const call = { skill, tool: name, ...(Object.keys(example).length === 0 ? {} : { params: example }) };
  const gives =
    returns === null
      ? ""
      : `. It returns ${typeof returns === "string" ? returns : JSON.stringify(returns)}.`;
  return [
    "",
    `### ${name}`,
    `${oneLine(description)}${description === "" ? "" : " "}(${effect})${gives}`,
    ...params.map(paramLine),
    ...(connections.length > 1
      ? [`- connection: ${connections.join(" or ")} (beside params, not in them)`]
      : []),
    `Call: run(${JSON.stringify(call)})`,
  ];
}

function paramLine({
  name,
  type,
  required,
  description,
  enum: choices,
  ...rest
}: SkillTool["params"][number]): string {
  const facts = [
    type,
    required ? "required" : "optional",
    ...("default" in rest ? [`default ${JSON.stringify(rest.default)}`] : []),
    ...(choices === undefined ? [] : [`one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`]),
  ];
  return `- ${name} (${facts.join(", ")})${description === undefined ? "" : `: ${oneLine(description)}`}`;
}

function placeholder(type: string): unknown {
  switch (type) {
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "…";
  }
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
