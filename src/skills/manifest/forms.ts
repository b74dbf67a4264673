import { z } from "zod";

/** What several parts of a manifest are made of. Descriptions reach editors through the JSON Schema. */

export const text = z.string().min(1).max(65_536);
export const name = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, "a name is letters, digits, _ and -, and begins with a letter");
/** The ancestor's older skills have dots in them: `task.list`. */
export const operationName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/, "a name is letters, digits, _ and -, and begins with a letter");
/** Any JSON value; the strings in it may be jq expressions. */
export const template = z.json();
export const fields = z.record(z.string(), template);
export const seconds = z.number().positive().max(600).describe("In seconds, at most 600.");

export const responseForm = z
  .strictObject({
    root: z
      .string()
      .max(1024)
      .optional()
      .describe("Where in the answer the result is: /data/items or .data.items"),
    transform: text.optional().describe("jq over the answer, after root"),
    mapping: fields.optional().describe("Fields of the result; of each one where the answer is a list"),
    static: fields.optional().describe("Fixed fields added to every result"),
    inject: fields.optional().describe("Fields added to every result, from .params and the like"),
    raw: z.boolean().default(false).describe("The answer as text, not parsed"),
  })
  .describe("From the answer to the result");
