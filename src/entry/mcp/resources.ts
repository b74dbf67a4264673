import { ResourceNotFoundError, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { DeputyError } from "../../kernel/index.ts";
import type { EngineLink } from "./engine-link.ts";
import type { Ask } from "./tool.ts";
import { oneLine } from "./tools/describe-skill.ts";
import { manualOf } from "./tools/load.ts";

const SCHEME = "deputy://skills/";
const MIME = "text/markdown";

/** Every skill's manual as a resource. */
export function addResources(
  server: Server,
  linkOf: (context: ServerContext) => EngineLink,
  asking: (link: EngineLink, context: ServerContext) => Ask,
  onListed: ((link: EngineLink) => void) | undefined,
): void {
  server.setRequestHandler("resources/list", async (_request, context) => {
    const link = linkOf(context);
    const skills = await asking(link, context)("skills.list", {}, { repeatable: true });
    onListed?.(link);
    const resources = skills
      .filter(({ status }) => status !== "broken")
      .map(({ id, name, description }) => ({
        uri: `${SCHEME}${encodeURIComponent(id)}`,
        name: id,
        title: name,
        description: oneLine(description),
        mimeType: MIME,
      }));
    return { resources };
  });

  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: [
      {
        uriTemplate: `${SCHEME}{skill}`,
        name: "skill",
        title: "A skill's manual",
        description: "What it does, its operations and their params",
        mimeType: MIME,
      },
    ],
  }));

  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const skill = uri.startsWith(SCHEME) ? decoded(uri.slice(SCHEME.length)) : undefined;
    if (skill === undefined || skill === "") throw new ResourceNotFoundError(uri);
    try {
      const { text } = await manualOf(skill, asking(linkOf(context), context));
      return { contents: [{ uri, mimeType: MIME, text }] };
    } catch (error) {
      if (error instanceof DeputyError && error.code === "NOT_FOUND") throw new ResourceNotFoundError(uri);
      throw error;
    }
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
