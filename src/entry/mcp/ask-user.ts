import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { DeputyError } from "../../kernel/index.ts";
import { canAskUser } from "./client-of.ts";

const QUESTION = "done";

/**
 * Where the user has to log in or to allow something, and the client can show them a question: the command to run, and to
 * say when they have. The answer comes through the agent's own program and so permits nothing; it only makes the call be
 * tried again, and the engine decides as it did before.
 */
export function askUser(
  error: DeputyError,
  server: Server,
  context: ServerContext,
): InputRequiredResult | undefined {
  const mendable = error.code === "LOGIN_NEEDED" || (error.code === "DENIED" && error.remedy !== undefined);
  if (!mendable || error.hint === undefined || !canAskUser(server, context)) return undefined;
  if (inputResponse(context.mcpReq.inputResponses, QUESTION).kind !== "missing") return undefined;
  const message = [
    `${error.message}.`,
    error.hint,
    "Run that in a terminal of your own, then accept to try again. Accepting allows nothing by itself.",
  ].join("\n");
  const requestedSchema = { type: "object" as const, properties: {} };
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema }) },
  });
}

/** The user was asked and does not want it: then it is not tried again. */
export function declined({ mcpReq }: ServerContext): CallToolResult | undefined {
  const answer = inputResponse(mcpReq.inputResponses, QUESTION);
  if (answer.kind !== "elicit" || answer.action === "accept") return undefined;
  return {
    content: [
      {
        type: "text",
        text: "The user did not want this. Do not try it again unless they ask.\n(code: DENIED)",
      },
    ],
    isError: true,
  };
}
