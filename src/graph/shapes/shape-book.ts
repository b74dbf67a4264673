import { type CheckedResult, checkResult } from "./check-result.ts";
import { type Entity, entitiesOf } from "./entities-of.ts";
import { findShapeProblems } from "./find-shape-problems.ts";
import type { Returns } from "./returns.ts";
import type { Shape, ShapeProblem } from "./shape.ts";
import { createShapeLookup, type ShapeLookup } from "./shape-lookup.ts";

/** All shapes there are, and what they say about results. */
export interface ShapeBook extends ShapeLookup {
  readonly problems: readonly ShapeProblem[];
  /** Brings a result into the form its operation declares. Nothing is lost: what does not fit is a warning. */
  checkResult(returns: Returns | string | undefined, data: unknown): CheckedResult;
  /** The entities of a checked result, those it refers to among them. */
  entitiesOf(returns: Returns | string | undefined, data: unknown): Entity[];
}

export function createShapeBook(
  shapes: readonly Shape[],
  options: { problems?: readonly ShapeProblem[]; now?: () => number } = {},
): ShapeBook {
  const { problems = [], now = Date.now } = options;
  const lookup = createShapeLookup(shapes);
  return {
    ...lookup,
    problems: [...problems, ...shapes.flatMap((shape) => findShapeProblems(lookup, shape))],
    checkResult: (returns, data) => checkResult(lookup, returns, data, now()),
    entitiesOf: (returns, data) => entitiesOf(lookup, returns, data),
  };
}
