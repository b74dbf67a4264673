import type { Execution } from "../run/execution.ts";
import type { Adapter, AdapterEdge, AdapterReference } from "../skill.ts";
import { isObject } from "./evaluate.ts";

type Evaluator = Pick<Execution, "expressions" | "signal">;
type Entity = Record<string, unknown>;

/** Records of an answer as entities of the adapter's shape; a list's elements each. What is no record stays as it is. */
export async function adapt(adapter: Adapter, value: unknown, by: Evaluator): Promise<unknown> {
  const list = Array.isArray(value) ? value : [value];
  const entities = (await adaptAll(adapter, list.filter(isObject), by)).values();
  const adapted = list.map((one: unknown) => (isObject(one) ? entities.next().value : one));
  return Array.isArray(value) ? adapted : adapted[0];
}

/** Every expression is evaluated for all records at once. A field that comes to null is left out: nothing was said. */
async function adaptAll(adapter: Adapter, records: readonly unknown[], by: Evaluator): Promise<Entity[]> {
  const { expressions, signal } = by;
  const fields = await expressions.runEach(adapter.fields, records, { signal });
  const entities = fields.map(entityOf);
  const add = (label: string, links: readonly (Entity | undefined)[]) => {
    for (const [at, entity] of entities.entries()) addLink(entity, label, links[at]);
  };
  for (const reference of adapter.references) {
    const found = await expressions.runEach(reference.value, records, { signal });
    add(
      reference.label,
      found.map((ids) => referenceTo(reference, ids)),
    );
  }
  for (const edge of adapter.edges) add(edge.label, await edgesOf(edge, records, by));
  return entities;
}

function entityOf(fields: unknown): Entity {
  const entity: Entity = {};
  for (const [key, value] of Object.entries(isObject(fields) ? fields : {})) {
    if (value !== null && !key.startsWith("_")) put(entity, key, value);
  }
  return entity;
}

/** `data.gender` is a field of a field. */
function put(entity: Entity, key: string, value: unknown): void {
  const [first = key, ...rest] = key.split(".");
  if (rest.length === 0) return define(entity, first, value);
  const inside = Object.hasOwn(entity, first) ? entity[first] : undefined;
  const object = isObject(inside) ? inside : {};
  define(entity, first, object);
  put(object, rest.join("."), value);
}

/** An assignment to "__proto__" would set the prototype. */
function define(entity: Entity, key: string, value: unknown): void {
  Object.defineProperty(entity, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Several shapes may stand under one label. */
function addLink(entity: Entity, label: string, link: Entity | undefined): void {
  if (link === undefined) return;
  const before = Object.hasOwn(entity, label) ? entity[label] : undefined;
  define(entity, label, isObject(before) ? { ...before, ...link } : link);
}

function referenceTo({ shape }: AdapterReference, found: unknown): Entity | undefined {
  const ids = [found].flat().filter((id) => typeof id === "string" || typeof id === "number");
  const linked = ids.map((id) => ({ id: String(id) }));
  return linkTo(shape, Array.isArray(found), linked);
}

async function edgesOf(
  { source, many, adapter }: AdapterEdge,
  records: readonly unknown[],
  by: Evaluator,
): Promise<(Entity | undefined)[]> {
  const { expressions, signal } = by;
  const found = source === null ? records : await expressions.runEach(source, records, { signal });
  const parts = found.map((value) => [value].flat().filter((one) => one !== null));
  const wanted = parts.map((list) => (many ? list : list.slice(0, 1)));
  const entities = await adaptAll(adapter, wanted.flat(), by);
  return wanted.map((list) => {
    const linked = entities.splice(0, list.length).filter((entity) => Object.keys(entity).length > 0);
    return linkTo(adapter.shape, many, linked);
  });
}

function linkTo(shape: string, many: boolean, entities: readonly Entity[]): Entity | undefined {
  if (entities.length === 0) return undefined;
  return many ? { [`${shape}[]`]: entities } : { [shape]: entities[0] };
}
