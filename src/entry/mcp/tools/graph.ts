import { z } from "zod";
import type { Methods } from "../../../engine/index.ts";
import { type Answer, defineTool, type Tool } from "../tool.ts";

const READ = { repeatable: true };

const id = z.string().describe("The id in parentheses");
const limit = z.int().min(1).max(500).exactOptional().describe("At most so many");
const cursor = z.string().exactOptional().describe("For the next page: what the last answer named");
const type = z.string().describe("What kind of thing: person, email, task, webpage, …");
const link = z.strictObject({ label: z.string().describe("How they relate"), id: z.string() });
const links = z.array(link).exactOptional().describe("Other things it belongs to");

const time = z.string().describe("ISO 8601");
const entity = z.object({
  id: z.string(),
  shape: z.string(),
  also: z.array(z.string()).describe("Every other kind it is too"),
  values: z
    .record(z.string(), z.unknown())
    .describe('Its fields; list({"type": "shape"}) says what a kind has'),
  created: time,
  updated: time,
  deleted: time.nullable(),
});
const source = z.looseObject({
  agent: z.string(),
  skill: z.string().optional(),
  operation: z.string().optional(),
});
const linked = z.object({ label: z.string(), id: z.string(), shape: z.string(), name: z.string() });
const details = entity.extend({
  sources: z.record(z.string(), source.extend({ at: time })).describe("Who said each field"),
  links: z.array(linked),
  linked_from: z.array(linked),
  more_links: z.number().describe("Links beyond those told"),
});
const change = z.object({
  id: z.string(),
  action: z.enum(["create", "update", "delete", "restore", "merge", "merged"]),
  at: time,
  target: z.string(),
  by: source,
  actor: z.string().nullable(),
  source: z.string().nullable(),
  fields: z
    .record(z.string(), z.object({ before: z.unknown().optional(), after: z.unknown().optional() }))
    .describe("No before: it was new. No after: it was taken away"),
  added: z.array(z.object({ label: z.string(), id: z.string() })),
  removed: z.array(z.object({ label: z.string(), id: z.string() })),
});
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const filter = z.strictObject({
  field: z.string(),
  is: z.enum(["eq", "ne", "lt", "le", "gt", "ge", "contains", "missing", "linked"]),
  value: scalar.exactOptional(),
});

const searchTool = defineTool({
  name: "search",
  title: "Search what is remembered",
  description: "Finds things seen before, by words: mails, tasks, people, pages. It asks no service.",
  input: z.strictObject({
    query: z.string().describe("Words to look for"),
    types: z.array(z.string()).exactOptional().describe("Only these kinds: email, task, …"),
    limit,
  }),
  output: z.object({ entities: z.array(entity), some_words: z.boolean() }),
  effect: "read",
  call: async (input, ask) => asAnswer(await ask("graph.search", input, READ)),
});

const listTool = defineTool({
  name: "list",
  title: "List what is remembered",
  description:
    'Lists remembered things of one type. Any other argument is a filter: {"type": "task", "status": "open"}. A thing that says nothing about a field matches no filter on it.',
  input: z
    .object({
      type,
      where: z.array(filter).exactOptional().describe("Filters other than equality"),
      sort: z
        .string()
        .exactOptional()
        .describe("A field, created or updated; with - in front the largest first"),
      limit,
      cursor,
      deleted: z.boolean().exactOptional().describe("true: those that were deleted"),
    })
    .catchall(scalar),
  output: z.object({
    entities: z.array(entity),
    next: z.string().nullable(),
    total: z.number().nullable(),
    absent: z.record(z.string(), z.number()),
  }),
  effect: "read",
  async call({ type: shape, where = [], sort, limit: most, cursor: from, deleted, ...fields }, ask) {
    const equal = Object.entries(fields).map(([field, value]) => ({ field, is: "eq" as const, value }));
    const given = { sort, limit: most, cursor: from, deleted };
    const rest = Object.entries(given).filter(([, value]) => value !== undefined);
    const input = { shape, where: [...where, ...equal], ...Object.fromEntries(rest) };
    return asAnswer(await ask("graph.list", input as Methods["graph.list"]["in"], READ));
  },
});

const getTool = defineTool({
  name: "get",
  title: "Get one thing",
  description: "Shows one remembered thing: all fields, where each comes from, and what it is linked to.",
  input: z.strictObject({ id }),
  output: z.object({ entity: details }),
  effect: "read",
  call: async (input, ask) => asAnswer(await ask("graph.get", input, READ)),
});

const createTool = defineTool({
  name: "create",
  title: "Remember something",
  description:
    'Remembers a new thing: {"type": "task", "name": "Call Ann", "due": "2026-12-01"}. It changes nothing at any service; for that, run an operation.',
  input: z.looseObject({ type, links }),
  output: z.object({ entity, warnings: z.array(z.string()) }),
  effect: "write",
  async call({ type: shape, links: to, ...values }, ask) {
    const input = { shape, values, ...(to === undefined ? {} : { links: to }) };
    return asAnswer(await ask("graph.create", input));
  },
});

const updateTool = defineTool({
  name: "update",
  title: "Change what is remembered",
  description:
    'Changes fields of one remembered thing: {"id": "…", "done": true}. null takes a field away. It changes nothing at any service.',
  input: z.looseObject({ id, links, unlink: links }),
  output: z.object({ entity, changed: z.boolean(), warnings: z.array(z.string()) }),
  effect: "write",
  async call({ id: which, links: to, unlink, ...values }, ask) {
    const linking = {
      ...(to === undefined ? {} : { links: to }),
      ...(unlink === undefined ? {} : { unlink }),
    };
    return asAnswer(await ask("graph.update", { id: which, values, ...linking }));
  },
});

const deleteTool = defineTool({
  name: "delete",
  title: "Forget one thing",
  description:
    "Takes one remembered thing away; the user can bring it back. It changes nothing at any service.",
  input: z.strictObject({ id }),
  output: z.object({ entity }),
  effect: "destructive",
  call: async (input, ask) => asAnswer(await ask("graph.delete", input)),
});

const historyTool = defineTool({
  name: "history",
  title: "What happened to one thing",
  description: "Every change of one remembered thing, the newest first: who, when, from what to what.",
  input: z.strictObject({ id, limit, cursor }),
  output: z.object({ changes: z.array(change), next: z.string().nullable() }),
  effect: "read",
  call: async (input, ask) => asAnswer(await ask("graph.history", input, READ)),
});

export const graphTools: readonly Tool[] = [
  searchTool,
  listTool,
  getTool,
  createTool,
  updateTool,
  deleteTool,
  historyTool,
];

function asAnswer({ text, ...data }: { readonly text: string } & object): Answer {
  return { text, data };
}
