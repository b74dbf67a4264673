import type { ResponseMap } from "../executor.ts";
import type { Execution } from "../run/execution.ts";
import { evaluateObject, isObject, nameOf } from "./evaluate.ts";

/**
 * From an answer to a result: root, transform, mapping, static, inject. The last three are about records: a list's
 * elements, or the one there is. Nothing at all becomes a record where there is something to add.
 */
export async function mapResponse(map: ResponseMap, answer: unknown, execution: Execution): Promise<unknown> {
  const { expressions, signal } = execution;
  const rooted = descend(answer, map.root);
  const transformed =
    map.transform === null ? rooted : await expressions.run(map.transform, rooted, { signal });
  const mapped = await mapEach(map, transformed, execution);
  const added = { ...map.static, ...(await evaluateObject(execution, map.inject)) };
  return Object.keys(added).length === 0 ? mapped : add(mapped, added, execution);
}

/** Whether the answer itself is what is mapped, or is only added to. */
export function selects({ root, transform, mapping }: ResponseMap): boolean {
  return root.length > 0 || transform !== null || mapping !== null;
}

function descend(answer: unknown, root: readonly string[]): unknown {
  let at = answer;
  for (const step of root) {
    if (Array.isArray(at)) at = /^\d+$/.test(step) ? at[Number(step)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at ?? null;
}

async function mapEach({ mapping }: ResponseMap, value: unknown, execution: Execution): Promise<unknown> {
  if (mapping === null || value === null) return value;
  const { expressions, signal } = execution;
  if (!Array.isArray(value)) return expressions.run(mapping, value, { signal });
  return expressions.runEach(mapping, value, { signal });
}

function add(value: unknown, added: Readonly<Record<string, unknown>>, execution: Execution): unknown {
  if (value === null) return added;
  const list = Array.isArray(value) ? value : [value];
  if (!list.every(isObject)) {
    execution.warn(
      `${nameOf(execution)}: response.static and response.inject are for records, and this result has none`,
    );
    return value;
  }
  const records = list.map((record) => ({ ...record, ...added }));
  return Array.isArray(value) ? records : records[0];
}
