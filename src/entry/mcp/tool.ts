import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Called, Methods } from "../../engine/index.ts";
import type { LinkOptions } from "./engine-link.ts";

/** What a tool may do: ask the engine, as the agent whose connection this is. */
export type Ask = <K extends keyof Methods>(
  method: K,
  input: Methods[K]["in"],
  options?: Pick<LinkOptions, "repeatable">,
) => Promise<Called<K>>;

/** Words for the model; the same as data for programs. */
export interface Answer {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** A picture beside the words; base64. */
  readonly png?: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: "object" };
  readonly outputSchema?: Readonly<Record<string, unknown>> & { readonly type: "object" };
  readonly annotations: ToolAnnotations;
  readonly call: (input: unknown, ask: Ask, context: ServerContext) => Promise<Outcome>;
}

/** An answer, or what the protocol makes of one where a tool knows better. */
export type Outcome = Answer | CallToolResult | InputRequiredResult;

interface Definition<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output?: z.ZodObject;
  /** `read`: changes nothing. `write`: adds or changes. `destructive`: may take away. */
  readonly effect: "read" | "write" | "destructive";
  /** It reaches services on the network. */
  readonly open?: boolean;
  readonly call: (input: z.output<Input>, ask: Ask) => Promise<Answer>;
}

export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, title, description, input, output, effect, open = false } = definition;
  return {
    name,
    title,
    description,
    inputSchema: objectSchema(input, "input"),
    ...(output === undefined ? {} : { outputSchema: objectSchema(output, "output") }),
    annotations: annotationsFor(effect, open),
    call: (given, ask) => definition.call(parseInput(input, given), ask),
  };
}

function annotationsFor(effect: Definition<z.ZodObject>["effect"], open: boolean): ToolAnnotations {
  return {
    readOnlyHint: effect === "read",
    destructiveHint: effect === "destructive",
    idempotentHint: effect === "read",
    openWorldHint: open,
  };
}

/** What came of a tool, as the protocol has it. */
export function toResult(outcome: Outcome): CallToolResult | InputRequiredResult {
  if (!isAnswer(outcome)) return outcome;
  const { text, data, png } = outcome;
  const content: CallToolResult["content"] = [{ type: "text", text }];
  if (png !== undefined) content.push({ type: "image", data: png, mimeType: "image/png" });
  return data === undefined ? { content } : { content, structuredContent: { ...data } };
}

function isAnswer(outcome: Outcome): outcome is Answer {
  return "text" in outcome;
}

function objectSchema(schema: z.ZodObject, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: of }) {
      // Every number of JavaScript's is within them: to a model they are noise.
      if (of.maximum === Number.MAX_SAFE_INTEGER) delete of.maximum;
      if (of.minimum === Number.MIN_SAFE_INTEGER) delete of.minimum;
      // An engine newer than this may say more, and clients throw away what a schema forbids.
      if (io === "output" && of.additionalProperties === false) delete of.additionalProperties;
    },
  });
  return { ...rest, type: "object" };
}

function parseInput<Input extends z.ZodObject>(schema: Input, given: unknown): z.output<Input> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  throw new BadArguments(parsed.error.issues.map(describeIssue));
}

/** The arguments do not fit the tool. */
export class BadArguments extends Error {
  override readonly name = "BadArguments";
  constructor(issues: readonly string[]) {
    super(issues.join("; "));
  }
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
