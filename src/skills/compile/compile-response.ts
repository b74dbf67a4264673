import type { Roots } from "../../expressions/index.ts";
import type { ResponseMap } from "../executor.ts";
import type { ResponseForm } from "../manifest/manifest-form.ts";
import type { Path } from "../manifest/yaml-source.ts";
import type { Compiler } from "./compiler.ts";

/** `answer`: what transform and mapping may refer to; `run`: what inject may. Neither has a login. */
export async function compileResponse(
  compiler: Compiler,
  form: ResponseForm,
  path: Path,
  answer: Roots,
  run: Roots,
): Promise<ResponseMap> {
  // After a transform or a root the answer is another thing than the steps.
  const mapped = form.transform === undefined && form.root === undefined ? answer : "any";
  const transformed = form.root === undefined ? answer : "any";
  return {
    root: pathOf(form.root ?? ""),
    transform: await compiler.optionalExpression(form.transform, {
      path: [...path, "transform"],
      roots: transformed,
    }),
    mapping: await compiler.optional(form.mapping, { path: [...path, "mapping"], roots: mapped }),
    static: form.static ?? {},
    inject: await compiler.optional(form.inject, { path: [...path, "inject"], roots: run }),
    raw: form.raw,
  };
}

/** A JSON pointer (`/data/0`, RFC 6901) or names with dots (`.data.items`). */
function pathOf(root: string): string[] {
  if (root.startsWith("/")) {
    const steps = root.slice(1).split("/");
    return steps
      .filter((step) => step !== "")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return root.split(/[.[\]]+/).filter((step) => step !== "");
}
