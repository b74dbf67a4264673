/** What Deputy's own server does not have and the conformance suite asks for: prompts, completion, logging, subscriptions. */
import {
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import { inputRequired } from "@modelcontextprotocol/server";
import { ask, heard } from "./asking-fixtures.ts";
import { PNG } from "./fixture-tool.ts";

const RESOURCES: Record<string, { mimeType: string; text?: string; blob?: string }> = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched resource content" },
  "test://example-resource": { mimeType: "text/plain", text: "An example" },
};

const PROMPTS: readonly Prompt[] = [
  { name: "test_simple_prompt" },
  {
    name: "test_prompt_with_arguments",
    arguments: ["arg1", "arg2"].map((name) => ({ name, required: true })),
  },
  { name: "test_prompt_with_embedded_resource", arguments: [{ name: "resourceUri", required: true }] },
  { name: "test_prompt_with_image" },
  { name: "test_input_required_result_prompt" },
].map((prompt) => ({ description: `Conformance fixture ${prompt.name}`, ...prompt }));

const user = (content: object) => ({ role: "user" as const, content: content as never });
const text = (words: string) => user({ type: "text", text: words });

export function mountFixtures(server: Server): Server {
  server.registerCapabilities({
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
    logging: {},
  });
  mountResources(server);
  server.setRequestHandler("completion/complete", async () => ({
    completion: { values: ["first", "second"], total: 2, hasMore: false },
  }));
  server.setRequestHandler("prompts/list", async () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: given = {} } }, context) => {
    switch (name) {
      case "test_simple_prompt":
        return { messages: [text("This is a simple prompt for testing.")] };
      case "test_prompt_with_arguments":
        return {
          messages: [text(`Prompt with arguments: arg1='${given["arg1"]}', arg2='${given["arg2"]}'`)],
        };
      case "test_prompt_with_embedded_resource": {
        const resource = {
          uri: given["resourceUri"],
          mimeType: "text/plain",
          text: "Embedded resource content.",
        };
        return { messages: [user({ type: "resource", resource }), text("Please process it.")] };
      }
      case "test_prompt_with_image":
        return {
          messages: [user({ type: "image", data: PNG, mimeType: "image/png" }), text("Please look.")],
        };
      case "test_input_required_result_prompt": {
        const context_ = heard(context, "user_context", "context");
        if (context_ !== undefined) return { messages: [text(context_)] };
        const question = ask("What context should the prompt use?", "context");
        return inputRequired({ inputRequests: { user_context: question } });
      }
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
    }
  });
  return server;
}

function mountResources(server: Server): void {
  server.setRequestHandler("resources/list", async () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: [
      { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" },
    ],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const words = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text: words }] };
    }
    const found = RESOURCES[uri];
    if (found === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, ...found } as never] };
  });
  server.setRequestHandler("resources/subscribe", async () => ({}));
  server.setRequestHandler("resources/unsubscribe", async () => ({}));
}
