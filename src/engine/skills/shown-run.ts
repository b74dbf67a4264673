import type { ShapeBook } from "../../graph/index.ts";
import type { Caller } from "../../kernel/index.ts";
import { render } from "../../skills/index.ts";
import type { RememberedRun } from "./remember-run.ts";
import type { RunMethods } from "./run-methods.ts";

interface Asked extends Pick<RunMethods["run"]["in"], "detail" | "format" | "with_data"> {
  readonly caller: Caller;
  /** What was typed at a terminal. */
  readonly command: string;
}

/** What came of a run, for whoever asked: words, and the data behind them for programs. */
export function shownRun(done: RememberedRun, asked: Asked, shapes: ShapeBook): RunMethods["run"]["out"] {
  const { data, returns, meta } = done;
  const { detail, format, with_data } = asked;
  const full =
    asked.caller.via === "mcp"
      ? 'the same call with "view": {"detail": "full"}'
      : `${asked.command} --detail full`;
  const viewed = { data, returns, meta: { ...meta }, ...(detail === "full" ? {} : { more: { full } }) };
  const text = render(viewed, { detail, format }, shapes);
  if (with_data !== true) return { text, meta };
  const json = format === "json" ? text : render(viewed, { detail, format: "json" }, shapes);
  return { text, data: (JSON.parse(json) as { data: unknown }).data, meta };
}
