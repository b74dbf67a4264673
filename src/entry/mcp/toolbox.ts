import { accountsTool } from "./tools/accounts.ts";
import { capabilityTool } from "./tools/capabilities.ts";
import { graphTools } from "./tools/graph.ts";
import { loadTool } from "./tools/load.ts";
import { loginTool } from "./tools/login.ts";
import { readmeTool } from "./tools/readme.ts";
import { runTool } from "./tools/run.ts";
import { sessionTools } from "./tools/session.ts";
import { statusTool } from "./tools/status.ts";
import type { Ask, Tool } from "./tool.ts";

const BUILT_IN: readonly Tool[] = [
  readmeTool,
  loadTool,
  runTool,
  ...graphTools,
  accountsTool,
  loginTool,
  statusTool,
  ...sessionTools,
];

/** MCP's rule for names, which clients enforce. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Deputy's own tools, and one for each capability that skills provide. */
export class Toolbox {
  readonly #builtIn: ReadonlyMap<string, Tool>;
  #provided: ReadonlyMap<string, Tool> = new Map();

  constructor(more: readonly Tool[] = []) {
    this.#builtIn = new Map([...BUILT_IN, ...more].map((tool) => [tool.name, tool]));
  }

  async list(ask: Ask): Promise<Tool[]> {
    await this.#refresh(ask);
    return [...this.#builtIn.values(), ...this.#provided.values()];
  }

  async find(name: string, ask: Ask): Promise<Tool | undefined> {
    const known = this.#builtIn.get(name) ?? this.#provided.get(name);
    if (known !== undefined) return known;
    await this.#refresh(ask);
    return this.#provided.get(name);
  }

  /** No skill can take the name of a tool of Deputy's. */
  async #refresh(ask: Ask): Promise<void> {
    const rows = await ask("capabilities.list", {}, { repeatable: true });
    const usable = rows.filter(({ tool }) => NAME.test(tool) && !this.#builtIn.has(tool));
    this.#provided = new Map(usable.map((row) => [row.tool, capabilityTool(row)]));
  }
}
