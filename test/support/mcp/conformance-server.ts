/**
 * Deputy's MCP server over HTTP with its real transport, guard, tokens, sessions and engine, and the conformance suite's
 * fixtures beside its own tools. Prints its address with a token in it; ends when standard input does.
 */
import { join } from "node:path";
import { openEngine } from "../../../src/engine/index.ts";
import { engineDoor } from "../../../src/entry/mcp/engine-door.ts";
import { createServer } from "../../../src/entry/mcp/create-server.ts";
import { type HttpServing, serveHttp } from "../../../src/entry/mcp/http/serve-http.ts";
import { ClientTokens } from "../../../src/entry/mcp/http/tokens.ts";
import { Toolbox } from "../../../src/entry/mcp/toolbox.ts";
import { homePaths, readEnvironment, writeFileAtomic } from "../../../src/platform/index.ts";
import { askingFixtures } from "./asking-fixtures.ts";
import { contentFixtures } from "./content-fixtures.ts";
import { mountFixtures } from "./mount-fixtures.ts";

const tokens = new ClientTokens(join(homePaths(readEnvironment()).home, "mcp-tokens.json"), writeFileAtomic);
await (await openEngine({ via: "mcp", agent: { name: "conformance" } })).call("status", {});
const serving: HttpServing = await serveHttp(
  {
    door: engineDoor,
    log: (line) => console.error(line),
    clientOf: (token) => tokens.find(token),
    makeServer: (parts) => mountFixtures(createServer(parts)),
    tools: new Toolbox([...contentFixtures(() => serving.notify), ...askingFixtures]),
  },
  0,
);
console.log(`http://localhost:${serving.port}/mcp/${tokens.create("conformance")}`);
process.stdin.resume().once("end", () => process.exit(0));
