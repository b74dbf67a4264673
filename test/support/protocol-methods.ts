/** Every method of the DevTools protocol's own description, with parameters made up from names and types. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface Type {
  id?: string;
  name?: string;
  type?: string;
  $ref?: string;
  enum?: string[];
  items?: Type;
  optional?: boolean;
  properties?: Type[];
}
interface Domain {
  domain: string;
  types?: Type[];
  commands?: { name: string; parameters?: Type[] }[];
}

export interface ProtocolCall {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const DEEPEST = 4;

/** Each method twice: with what it needs, and with all it takes. `values` are by a parameter's name. */
export function protocolCalls(values: Readonly<Record<string, unknown>>): ProtocolCall[] {
  const find = createRequire(import.meta.url);
  const domains = ["browser_protocol", "js_protocol"].flatMap((name) => {
    const text = readFileSync(find.resolve(`devtools-protocol/json/${name}.json`), "utf8");
    return (JSON.parse(text) as { domains: Domain[] }).domains;
  });
  const types = new Map<string, Type>(
    domains.flatMap(({ domain, types = [] }) => types.map((type) => [`${domain}.${type.id}`, type] as const)),
  );

  function value(type: Type, domain: string, depth: number): unknown {
    if (type.name !== undefined && type.name in values) return values[type.name];
    if (type.$ref !== undefined) {
      const name = type.$ref.includes(".") ? type.$ref : `${domain}.${type.$ref}`;
      const short = name.slice(name.indexOf(".") + 1);
      if (short in values) return values[short];
      const known = types.get(name);
      return known === undefined || depth > DEEPEST ? "x" : value(known, name.split(".")[0]!, depth + 1);
    }
    switch (type.type) {
      case "string":
        return type.enum?.[0] ?? "x";
      case "integer":
      case "number":
        return 1;
      case "boolean":
        return true;
      case "array":
        return type.items === undefined ? [] : [value(type.items, domain, depth + 1)];
      case "object":
        return fields(type.properties ?? [], domain, depth, false);
      default:
        return "x";
    }
  }

  function fields(list: Type[], domain: string, depth: number, all: boolean): Record<string, unknown> {
    const chosen = list.filter(({ optional }) => all || optional !== true);
    return Object.fromEntries(chosen.map((field) => [field.name ?? "", value(field, domain, depth)]));
  }

  return domains.flatMap(({ domain, commands = [] }) =>
    commands.flatMap(({ name, parameters = [] }) =>
      [false, true].map((all) => ({
        method: `${domain}.${name}`,
        params: fields(parameters, domain, 0, all),
      })),
    ),
  );
}
