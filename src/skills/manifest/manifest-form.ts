import { z } from "zod";
import { connectionForm } from "../../auth/index.ts";
import { executorForms, executorNames, stepKindNames } from "./executor-forms.ts";
import { fields, name, operationName, responseForm, seconds, template, text } from "./forms.ts";

/** What a parameter or a field may be. */
export const valueTypes = [
  ..."string text integer number boolean array object json date datetime url".split(" "),
  ..."string[] integer[] number[] boolean[]".split(" "),
] as const as readonly ValueType[];

type Scalar = "string" | "integer" | "number" | "boolean";
export type ValueType =
  | Scalar
  | `${Scalar}[]`
  | "text"
  | "array"
  | "object"
  | "json"
  | "date"
  | "datetime"
  | "url";

const paramForm = z.strictObject({
  type: z.enum(valueTypes).default("string"),
  required: z.boolean().default(false),
  default: template.optional(),
  enum: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .optional(),
  description: z.string().optional(),
});

const params = z
  .record(name, z.union([paramForm, z.enum(valueTypes).transform((type) => paramForm.parse({ type }))]))
  .default({});

const returnsForm = z
  .union([text, z.record(z.string(), template), z.array(z.record(z.string(), template)).length(1)])
  .describe("A shape, shape[], void, a type, or a map of fields to types");

const testForm = z.strictObject({
  params: fields.default({}),
  skip: z.union([z.boolean(), text]).default(false).describe("true, or the reason"),
  mode: z.enum(["read", "write"]).optional().describe("write: only with --write"),
  fixtures: fields.default({}).describe("Another word for params"),
});

const oneOf = (kinds: readonly string[], form: object): string[] => kinds.filter((kind) => kind in form);

const operationForm = z
  .strictObject({
    description: z.string().optional(),
    connection: z.union([text, z.array(name).min(1)]).optional(),
    auth: z.literal("none").optional().describe("Uses the connection without its login"),
    effect: z.enum(["read", "write", "destructive"]).optional(),
    returns: returnsForm.optional(),
    params,
    timeout: seconds.optional(),
    ...executorForms,
    response: responseForm.optional(),
    test: testForm.optional(),
  })
  .superRefine((form, context) => {
    const found = oneOf(executorNames, form);
    if (found.length === 1) return;
    const message =
      found.length === 0
        ? `does nothing: it has none of ${executorNames.join(", ")}`
        : `has ${found.join(" and ")}, and can be only one of them`;
    context.addIssue({ code: "custom", message });
  })
  .superRefine((form, context) => {
    const seen = new Set<string>();
    for (const [index, step] of (form.steps ?? []).entries()) {
      const found = oneOf(stepKindNames, step);
      if (found.length !== 1) {
        const message =
          found.length === 0
            ? `does nothing: it has none of ${stepKindNames.join(", ")}`
            : `has ${found.join(" and ")}, and can be only one of them`;
        context.addIssue({ code: "custom", path: ["steps", index], message });
      }
      if (seen.has(step.id) || RESERVED_ROOTS.includes(step.id)) {
        const message = `is taken: ${seen.has(step.id) ? "an earlier step has it" : `.${step.id} means something else`}`;
        context.addIssue({ code: "custom", path: ["steps", index, "id"], message });
      }
      seen.add(step.id);
    }
  });

/** What expressions may always begin with; a step cannot have the name of one. */
const RESERVED_ROOTS: readonly string[] = ["params", "auth", "data", "cache", "connection", "item"];

const toolForm = z.strictObject({
  tool: name.describe("A capability, such as web_search"),
  via: operationName,
  urls: z.array(text).default([]).describe("Patterns such as youtube.com/*"),
  description: z.string().optional(),
});

const authForm = z.strictObject({
  auth: z.enum(["cookies", "oauth", "api_key"]),
  via: operationName.describe("The operation that supplies them; only Deputy itself runs it"),
  service: text.optional(),
  scopes: z.array(text).default([]),
  account_param: name.optional(),
  description: z.string().optional(),
});

/** An adapter says how an answer's fields become an entity's; its keys are the shape's own. */
const adapterForm = z.record(z.string(), template);

export const manifestForm = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "an id is lower-case letters, digits, - and _, at most 64")
    .optional()
    .describe("The folder's name, where it is left out"),
  name: text.optional(),
  description: z.string().optional(),
  website: z.url({ protocol: /^https?$/ }).optional(),
  connections: z.record(name, connectionForm).default({}),
  operations: z.record(operationName, operationForm).default({}),
  adapters: z.record(name, adapterForm).default({}),
  provides: z.array(z.union([toolForm, authForm])).default([]),
});

export type ManifestForm = z.output<typeof manifestForm>;
export type OperationForm = z.output<typeof operationForm>;
export type ParamForm = z.output<typeof paramForm>;
export type ReturnsForm = z.output<typeof returnsForm>;
export type ResponseForm = z.output<typeof responseForm>;
