import type { Template } from "../../expressions/index.ts";
import type { Path } from "../manifest/yaml-source.ts";
import type { Adapter, AdapterEdge, AdapterReference } from "../skill.ts";
import type { Compiler } from "./compiler.ts";

type Fields = { readonly [key: string]: Template };

/**
 * A map whose values are all maps is a link: `posted_by: {account: {…}}`, `shelves: {"shelf[]": {_source: …}}`.
 * One with `ref` and `value` is a link by id. Everything else is a field.
 */
export async function compileAdapter(
  compiler: Compiler,
  shape: string,
  form: Fields,
  path: Path,
): Promise<Adapter> {
  const fields: [string, Template][] = [];
  const references: AdapterReference[] = [];
  const edges: AdapterEdge[] = [];
  for (const [key, value] of Object.entries(form)) {
    const at = [...path, key];
    if (isReference(value)) {
      const program = await compiler.template(value.value, { path: [...at, "value"], roots: "any" });
      references.push({ label: value.rel ?? key, shape: value.ref, value: program });
    } else if (isLink(value)) {
      for (const [target, inside] of Object.entries(value)) {
        edges.push(await compileEdge(compiler, key, target, inside, [...at, target]));
      }
    } else if (key !== "_source") {
      fields.push([key, value]);
    }
  }
  const program = await compiler.template(Object.fromEntries(fields), { path, roots: "any" });
  return { shape, fields: program, references, edges };
}

async function compileEdge(
  compiler: Compiler,
  label: string,
  target: string,
  form: Fields,
  path: Path,
): Promise<AdapterEdge> {
  const { _source: source } = form;
  const shape = target.replace(/\[\]$/, "");
  return {
    label,
    many: target.endsWith("[]"),
    source:
      typeof source === "string"
        ? await compiler.expression(source, { path: [...path, "_source"], roots: "any" })
        : null,
    adapter: await compileAdapter(compiler, shape, form, path),
  };
}

function isMap(value: Template | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isReference(value: Template): value is { ref: string; value: string; rel?: string } {
  if (!isMap(value) || typeof value["ref"] !== "string" || typeof value["value"] !== "string") return false;
  return value["rel"] === undefined || typeof value["rel"] === "string";
}

function isLink(value: Template): value is { readonly [shape: string]: Fields } {
  if (!isMap(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 && entries.every(([key, inside]) => isMap(inside) && /^[A-Za-z_]\w*(\[\])?$/.test(key))
  );
}
