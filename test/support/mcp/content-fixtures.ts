/** What the conformance suite calls to see each kind of content, and each kind of message beside an answer. */
import { setTimeout as sleep } from "node:timers/promises";
import { MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import { DeputyError } from "../../../src/kernel/index.ts";
import type { Tool } from "../../../src/entry/mcp/tool.ts";
import { fixture, PNG, say, WAV } from "./fixture-tool.ts";

const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, text: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text },
});

export interface Announcements {
  toolsChanged(): void;
  promptsChanged(): void;
}

export function contentFixtures(announce: () => Announcements): Tool[] {
  return [
    fixture("test_simple_text", async () => say("This is a simple text response for testing.")),
    fixture("test_image_content", async () => ({ content: [image] })),
    fixture("test_audio_content", async () => ({
      content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    })),
    fixture("test_embedded_resource", async () => ({
      content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    })),
    fixture("test_multiple_content_types", async () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    })),
    fixture("test_error_handling", async () => {
      throw new DeputyError("SKILL_FAILED", "This tool intentionally returns an error for testing");
    }),
    fixture("test_tool_with_logging", async (_input, _ask, { mcpReq }) => {
      for (const step of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await mcpReq.log("info", step);
        await sleep(20);
      }
      return say("Tool with logging executed successfully");
    }),
    fixture("test_logging_tool", async (_input, _ask, { mcpReq }) => {
      await mcpReq.log("info", "only for who asked");
      return say("logged");
    }),
    fixture("test_tool_with_progress", async (_input, _ask, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
        await mcpReq.notify({ method: "notifications/progress", params });
        await sleep(20);
      }
      return say(String(progressToken));
    }),
    fixture("test_missing_capability", async () => {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }),
    fixture("test_trigger_tool_change", async () => {
      announce().toolsChanged();
      return say("changed");
    }),
    fixture("test_trigger_prompt_change", async () => {
      announce().promptsChanged();
      return say("changed");
    }),
    fixture("json_schema_2020_12_tool", async (input) => say(JSON.stringify(input)), SCHEMA_2020_12),
  ];
}

/** Keywords that a server which rebuilds schemas would lose. */
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};
