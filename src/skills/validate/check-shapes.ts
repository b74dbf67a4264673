import type { Path } from "../manifest/yaml-source.ts";
import { nearest } from "../nearest.ts";
import type { Adapter, Skill } from "../skill.ts";
import type { Findings } from "./findings.ts";

export interface ShapeNames {
  has(name: string): boolean;
  names(): Iterable<string>;
}

/** Results of a shape nobody knows are kept, but nothing about them is checked. The ancestor had shapes of its own. */
export function checkShapes(findings: Findings, skill: Skill, shapes: ShapeNames): void {
  const severity = skill.ancestor ? "warning" : "error";
  const check = (shape: string, path: Path) => {
    if (shapes.has(shape)) return;
    const near = nearest(shape, shapes.names());
    findings.add(severity, path, `there is no shape ${shape}`, near && `Did you mean ${near}?`);
  };
  const checkAdapter = ({ shape, edges, references }: Adapter, path: Path) => {
    check(shape, path);
    for (const { label, shape } of references) check(shape, [...path, label]);
    for (const { label, many, adapter } of edges) {
      checkAdapter(adapter, [...path, label, many ? `${adapter.shape}[]` : adapter.shape]);
    }
  };
  for (const { name, returns } of skill.operations.values()) {
    if (returns.kind === "shape") check(returns.shape, ["operations", name, "returns"]);
  }
  for (const [shape, adapter] of skill.adapters) checkAdapter(adapter, ["adapters", shape]);
}
