import type { Execution } from "../run/execution.ts";
import type { Adapter, AdapterEdge, AdapterReference } from "../skill.ts";
import { isObject } from "./evaluate.ts";

type Evaluator = Pick<Execution, "expressions" | "signal">;
type Entity = Record<string, unknown>;

/** Records of an answer as entities of the adapter's shape; a list's elements each. What is no record stays as it is. */
export async function adapt(adapter: Adapter, value: unknown, by: Evaluator): Promise<unknown> {
  if (!Array.isArray(value)) return isObject(value) ? adaptRecord(adapter, value, by) : value;
  const adapted: unknown[] = [];
  for (const one of value) adapted.push(isObject(one) ? await adaptRecord(adapter, one, by) : one);
  return adapted;
}

/** One record. A field that comes to null is left out: the record did not say. */
export async function adaptRecord(adapter: Adapter, record: unknown, by: Evaluator): Promise<Entity> {
  const { expressions, signal } = by;
  const entity: Entity = {};
  const fields = await expressions.run(adapter.fields, record, { signal });
  for (const [key, value] of Object.entries(isObject(fields) ? fields : {})) {
    if (value !== null && !key.startsWith("_")) put(entity, key, value);
  }
  for (const reference of adapter.references)
    addLink(entity, reference.label, await referenceOf(reference, record, by));
  for (const edge of adapter.edges) addLink(entity, edge.label, await edgeOf(edge, record, by));
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

async function referenceOf(
  { shape, value }: AdapterReference,
  record: unknown,
  { expressions, signal }: Evaluator,
): Promise<Entity | undefined> {
  const found = await expressions.run(value, record, { signal });
  const ids = [found].flat().filter((id) => typeof id === "string" || typeof id === "number");
  const [first] = ids;
  if (first === undefined) return undefined;
  const linked = ids.map((id) => ({ id: String(id) }));
  return Array.isArray(found) ? { [`${shape}[]`]: linked } : { [shape]: linked[0] };
}

async function edgeOf(
  { source, many, adapter }: AdapterEdge,
  record: unknown,
  by: Evaluator,
): Promise<Entity | undefined> {
  const found = source === null ? record : await by.expressions.run(source, record, { signal: by.signal });
  const records = [found].flat().filter((one) => one !== null);
  const linked: Entity[] = [];
  for (const one of many ? records : records.slice(0, 1)) {
    const entity = await adaptRecord(adapter, one, by);
    if (Object.keys(entity).length > 0) linked.push(entity);
  }
  if (linked.length === 0) return undefined;
  return many ? { [`${adapter.shape}[]`]: linked } : { [adapter.shape]: linked[0] };
}
