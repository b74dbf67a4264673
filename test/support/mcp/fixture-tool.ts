import type { Tool } from "../../../src/entry/mcp/tool.ts";

/** A tool as the conformance suite wants one. */
export function fixture(name: string, call: Tool["call"], inputSchema: object = {}): Tool {
  return {
    name,
    title: name,
    description: `Conformance fixture ${name}`,
    inputSchema: { type: "object", properties: {}, ...inputSchema },
    annotations: {},
    call,
  };
}

export const say = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** One red pixel, and the shortest sound. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
export const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
