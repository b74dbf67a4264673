import { GRACE, hasNotesOf, type Scene } from "../scene.ts";

const CLIENT = "demo-client";
const REVISION = "2025-11-25";
const SHOWN = 9;

interface Answer {
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text?: string }[];
  };
}

/** What an agent's program sees: the tools, and one call, over the real protocol. */
export async function mcp({ stage, machine, programs }: Scene): Promise<void> {
  stage.chapter(
    "Your agent uses it over MCP",
    "Claude Code, Cursor and others start deputy mcp and talk to it.",
  );
  await stage.ask(machine, ["grants", "add", "--skill", "notes", "--identity", GRACE, "--agent", CLIENT]);
  stage.prompt(machine, ["mcp"]);
  stage.screen.doing("an MCP client connects");
  const server = machine.start(["mcp"]);
  const tell = (message: object) =>
    server.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (id: number, method: string, params: object): Promise<Answer["result"]> => {
    tell({ id, method, params });
    const [line] = await programs.hear(server, new RegExp(`^.*"id":${id}\\}?$`, "m"));
    return (JSON.parse(line) as Answer).result;
  };
  const clientInfo = { name: CLIENT, version: "1" };
  await ask(1, "initialize", { protocolVersion: REVISION, capabilities: {}, clientInfo });
  tell({ method: "notifications/initialized" });
  const names = (await ask(2, "tools/list", {}))?.tools?.map(({ name }) => name) ?? [];
  const call = { skill: "notes", tool: "list", account: "grace" };
  const answer = await ask(3, "tools/call", { name: "run", arguments: call });
  stage.screen.idle();
  const text = answer?.content?.[0]?.text ?? "";
  stage.answer(machine, `tools/list: ${names.length} tools: ${names.slice(0, SHOWN).join(", ")}, …`);
  stage.answer(machine, `tools/call: run ${JSON.stringify(call)}`);
  for (const line of text.split("\n")) if (line.includes("grace-1")) stage.answer(machine, `  ${line}`);
  server.process.stdin.end();
  await programs.finish(server);
  stage.said += server.stdout + server.stderr;
  stage.expect(
    ["readme", "run", "accounts"].every((name) => names.includes(name)) && hasNotesOf("grace", text),
    "the agent finds its tools, and one call reads Grace's notes as Grace",
  );
}
