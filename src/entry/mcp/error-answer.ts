import type { CallToolResult } from "@modelcontextprotocol/server";
import { DeputyError, type ErrorCode } from "../../kernel/index.ts";
import { BadArguments } from "./tool.ts";

/** What went wrong, as a result: the model reads it and does what it says. Only faults of the protocol are errors of it. */
export function errorAnswer(error: unknown, tool: string): CallToolResult {
  const { code, message, hint } = asWords(error, tool);
  const lines = [
    `${message.replace(/[.\s]+$/, "")}.`,
    ...(hint === undefined ? [] : [inTools(hint)]),
    next(code),
  ];
  return {
    content: [{ type: "text", text: `${lines.filter((line) => line !== "").join("\n")}\n(code: ${code})` }],
    isError: true,
  };
}

function asWords(
  error: unknown,
  tool: string,
): { code: ErrorCode; message: string; hint?: string | undefined } {
  if (error instanceof DeputyError) return error;
  if (error instanceof BadArguments) {
    const hint = `Look at the input schema of ${tool} and call it again.`;
    return { code: "BAD_INPUT", message: `The arguments of ${tool} do not fit: ${error.message}`, hint };
  }
  // Its message might quote what was sent.
  return { code: "INTERNAL", message: "Deputy failed inside", hint: "This is a fault of Deputy." };
}

/** Hints are written for a command line, which a client may not have: what a tool does as well is said as that. */
const TOOL_FOR: readonly (readonly [command: RegExp, tool: string])[] = [
  [/\bdeputy skills list\b/g, "the tool readme"],
  [/\bdeputy skills show ([\w.-]+)/g, 'load({"skill": "$1"})'],
  [/\bdeputy vault list\b/g, "the tool accounts"],
  [/\bdeputy (grants list|status)\b/g, "the tool status"],
  [/\bdeputy graph (search|list|get|history)\b/g, "the tool $1"],
  [/\bSee deputy doctor\b/g, "Ask the user to run deputy doctor"],
];

function inTools(hint: string): string {
  return TOOL_FOR.reduce((said, [command, tool]) => said.replace(command, tool), hint);
}

/** What the model does next: it can neither log in nor allow itself anything. */
function next(code: ErrorCode): string {
  switch (code) {
    case "LOGIN_NEEDED":
    case "SESSION_EXPIRED":
      return "Only the user can log in. When they have, call this tool again: no restart is needed.";
    case "DENIED":
      return "Only the user can allow it: show them what to run. When they have, call this tool again.";
    case "NOT_SET_UP":
    case "VAULT_LOCKED":
      return "Only the user can do that. When they have, call this tool again.";
    default:
      return "";
  }
}
