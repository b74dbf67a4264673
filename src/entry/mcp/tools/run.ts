import { z } from "zod";
import type { Methods } from "../../../engine/index.ts";
import { defineTool } from "../tool.ts";
import { isEngineLost, onlyReads, runAnswer, runOutput } from "./run-answer.ts";

export const viewSchema = z
  .strictObject({
    detail: z
      .enum(["preview", "full"])
      .optional()
      .describe("preview (default): the main fields. full: all of them"),
    format: z.enum(["markdown", "json"]).optional().describe("How the text is written; default markdown"),
  })
  .describe("How much to show, and how");

export const runTool = defineTool({
  name: "run",
  title: "Run an operation",
  description:
    "Runs one operation of a skill as the user. load({skill}) says which there are and what params they take.",
  input: z.strictObject({
    skill: z.string().describe("The skill's id"),
    tool: z.string().describe("The operation's name"),
    params: z.record(z.string(), z.unknown()).optional().describe("What the operation takes"),
    account: z.string().exactOptional().describe("Which account, where the user has several"),
    provider: z.string().exactOptional().describe("Only the login of this browser: chromium, firefox:Work"),
    connection: z.string().exactOptional().describe("Which connection, where the operation has several"),
    remember: z.boolean().exactOptional().describe("false: keep nothing of the result"),
    view: viewSchema.exactOptional(),
  }),
  output: runOutput,
  effect: "destructive",
  open: true,
  async call({ tool: operation, params = {}, view, ...given }, ask) {
    const input = { ...given, operation, params, ...viewOf(view), with_data: true } as Methods["run"]["in"];
    try {
      return runAnswer(await ask("run", input));
    } catch (error) {
      if (!isEngineLost(error) || !(await onlyReads(ask, given.skill, operation))) throw error;
      return runAnswer(await ask("run", input, { repeatable: true }));
    }
  },
});

export function viewOf(
  view: z.output<typeof viewSchema> | undefined,
): Pick<Methods["run"]["in"], "detail" | "format"> {
  return { detail: view?.detail ?? "preview", format: view?.format ?? "markdown" };
}
