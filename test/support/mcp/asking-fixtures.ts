/** Tools that ask their caller something, in the way of 2025-11-25 and in that of 2026-07-28. */
import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Tool } from "../../../src/entry/mcp/tool.ts";
import { fixture, say } from "./fixture-tool.ts";

const states = createRequestStateCodec<{ step: number }>({ key: randomBytes(32) });

async function stateOf(context: ServerContext): Promise<{ step: number } | undefined> {
  const state = context.mcpReq.requestState<string>();
  if (state === undefined) return undefined;
  return states.verify(state, context).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState");
  });
}

const ask = (message: string, field: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: { type } as never }, required: [field] },
  });
const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });

function heard(context: ServerContext, key: string, field: string): string | undefined {
  const value = acceptedContent(context.mcpReq.inputResponses, key)?.[field];
  return value === undefined ? undefined : JSON.stringify(value).replace(/^"|"$/g, "");
}

async function elicit(message: string, properties: object, { mcpReq }: ServerContext) {
  const requestedSchema = { type: "object" as const, properties: properties as never };
  const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema });
  return say(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

export const askingFixtures: readonly Tool[] = [
  fixture("test_sampling", async (input, _ask, { mcpReq }) => {
    const text = String((input as { prompt?: string }).prompt);
    const answer = await mcpReq.requestSampling({
      messages: [{ role: "user", content: { type: "text", text } }],
      maxTokens: 100,
    });
    return say(`LLM response: ${JSON.stringify(answer.content)}`);
  }),
  fixture("test_elicitation", async (input, _ask, context) => {
    const message = String((input as { message?: string }).message);
    return elicit(message, { username: { type: "string" }, email: { type: "string" } }, context);
  }),
  fixture("test_elicitation_sep1034_defaults", async (_input, _ask, context) =>
    elicit("Defaults of every kind", DEFAULTS, context),
  ),
  fixture("test_elicitation_sep1330_enums", async (_input, _ask, context) =>
    elicit("Choices of every kind", CHOICES, context),
  ),
  fixture("test_input_required_result_elicitation", async (_input, _ask, context) => {
    const name = heard(context, "user_name", "name");
    if (name !== undefined) return say(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: ask("What is your name?", "name") } });
  }),
  fixture("test_streaming_elicitation", async () =>
    inputRequired({ inputRequests: { user_name: ask("What is your name?", "name") } }),
  ),
  fixture("test_input_required_result_sampling", async (_input, _ask, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return say(JSON.stringify(answer.result.content));
    return inputRequired({
      inputRequests: { capital_question: sample("What is the capital of France?", 100) },
    });
  }),
  fixture("test_input_required_result_list_roots", async (_input, _ask, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return say(answer.roots.map(({ uri }) => uri).join(", "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  fixture("test_input_required_result_request_state", async (_input, _ask, context) => {
    const state = await stateOf(context);
    if (state !== undefined && heard(context, "confirm", "ok") !== undefined) return say("state-ok");
    const requestState = await states.mint({ step: 1 }, context);
    return inputRequired({
      inputRequests: { confirm: ask("Please confirm", "ok", "boolean") },
      requestState,
    });
  }),
  fixture("test_input_required_result_tampered_state", async (_input, _ask, context) => {
    if ((await stateOf(context)) !== undefined) return say("state-ok");
    const requestState = await states.mint({ step: 1 }, context);
    return inputRequired({
      inputRequests: { confirm: ask("Please confirm", "ok", "boolean") },
      requestState,
    });
  }),
  fixture("test_input_required_result_multiple_inputs", async (_input, _ask, context) => {
    const responses = context.mcpReq.inputResponses;
    const all = ["user_name", "greeting", "client_roots"].map((key) => inputResponse(responses, key).kind);
    if ((await stateOf(context)) !== undefined && !all.includes("missing"))
      return say(`Heard ${all.join(", ")}`);
    const requestState = await states.mint({ step: 1 }, context);
    return inputRequired({
      inputRequests: {
        user_name: ask("What is your name?", "name"),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState,
    });
  }),
  fixture("test_input_required_result_multi_round", async (_input, _ask, context) => {
    const step = (await stateOf(context))?.step ?? 0;
    if (step === 2 && heard(context, "step2", "color") !== undefined) return say("Both are known");
    if (step === 1 && heard(context, "step1", "name") !== undefined) {
      const requestState = await states.mint({ step: 2 }, context);
      const step2 = ask("Step 2: What is your favorite color?", "color");
      return inputRequired({ inputRequests: { step2 }, requestState });
    }
    const requestState = await states.mint({ step: 1 }, context);
    return inputRequired({
      inputRequests: { step1: ask("Step 1: What is your name?", "name") },
      requestState,
    });
  }),
  fixture("test_input_required_result_capabilities", async (_input, _ask, { mcpReq }) => {
    const able =
      (mcpReq.envelope as Record<string, object> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    return inputRequired({
      inputRequests: {
        ...("sampling" in able ? { greeting: sample("Generate a greeting", 50) } : {}),
        ...("elicitation" in able ? { user_name: ask("What is your name?", "name") } : {}),
      },
    });
  }),
];

export { ask, heard };

const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

const titled = (name: string) => ["1", "2", "3"].map((n) => ({ const: `value${n}`, title: `${name} ${n}` }));
const CHOICES = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: { type: "string", oneOf: titled("Option") },
  legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
  untitledMulti: {
    type: "array",
    minItems: 1,
    maxItems: 3,
    items: { type: "string", enum: ["option1", "option2", "option3"] },
  },
  titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled("Choice") } },
};
