import { resolve } from "node:path";
import type { Command } from "commander";
import type { GraphMethods } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, group, list, type Options, text } from "../define.ts";
import { readJson } from "../input.ts";
import { plain } from "../table.ts";

type Filter = NonNullable<GraphMethods["graph.list"]["in"]["where"]>[number];
type Link = NonNullable<GraphMethods["graph.create"]["in"]["links"]>[number];

export function addGraph(program: Command): void {
  const graph = group(program, "graph", "what Deputy remembers: everything runs return, and what you add");
  addFinding(graph);
  addWriting(graph);
  addMoves(graph);
}

function addFinding(graph: Command): void {
  define(graph, {
    usage: "search <query...>",
    summary: 'find by words, "whole phrases" and beginnings*',
    example: "deputy graph search budget meeting",
    options: [
      ["--type <shape...>", "only of these shapes"],
      ["--limit <number>", "how many (default: 20)"],
    ],
    async run(shell, args, options) {
      const types = list(options, "type");
      const query = args.flat().join(" ");
      const found = await shell.call("graph.search", {
        query,
        ...(types.length > 0 ? { types } : {}),
        ...limitOf(options),
      });
      shell.show(found.entities, found.text);
    },
  });
  define(graph, {
    usage: "list <shape>",
    summary: "all of a shape, such as task, email or skill",
    example: "deputy graph list task --where done=false --sort due",
    options: [
      ["--where <filter...>", "field=value, !=, <, <=, >, >=, or ~ for a part of it"],
      ["--missing <field...>", "those that say nothing about a field"],
      ["--linked <link...>", "label=id, or an id alone for any link"],
      ["--sort <field>", "by a field, created or updated; -field for the largest first"],
      ["--limit <number>", "how many (default: 50)"],
      ["--cursor <cursor>", "where the page before ended"],
      ["--deleted", "those that were deleted"],
    ],
    async run(shell, [shape = ""], options) {
      const { text: words, ...listed } = await shell.call("graph.list", {
        shape,
        where: filtersOf(options),
        ...limitOf(options),
        ...given(options, "sort", "cursor"),
        deleted: options["deleted"] === true,
      });
      shell.show(listed, words);
    },
  });
  define(graph, {
    usage: "get <id>",
    summary: "one entity with its links, and where each value comes from",
    example: "deputy graph list note && deputy graph get ID",
    options: [["--at <time>", "as it was then"]],
    async run(shell, [id = ""], options) {
      const time = text(options, "at");
      if (time === undefined) {
        const { entity, text: words } = await shell.call("graph.get", { id });
        return shell.show(entity, words);
      }
      const { state, text: words } = await shell.call("graph.at", { id, time });
      return shell.show(state, words);
    },
  });
  define(graph, {
    usage: "history <id>",
    summary: "what happened to an entity: who changed what, and when",
    example: "deputy graph list note && deputy graph history ID",
    options: [
      ["--limit <number>", "how many (default: 50)"],
      ["--cursor <cursor>", "where the page before ended"],
    ],
    async run(shell, [id = ""], options) {
      const { text: words, ...told } = await shell.call("graph.history", {
        id,
        ...limitOf(options),
        ...given(options, "cursor"),
      });
      shell.show(told, words);
    },
  });
}

function addWriting(graph: Command): void {
  const links = [["--link <link...>", "label=id: link it to what there is"]] as const;
  define(graph, {
    usage: "create <shape>",
    summary: "add one; its fields come as JSON on standard input",
    example: `echo '{"name": "Water the plants", "due": "tomorrow"}' | deputy graph create task`,
    options: links,
    async run(shell, [shape = ""], options) {
      const input = { shape, values: await readFields(), links: linksOf(options, "link") };
      const { text: words, ...made } = await shell.call("graph.create", input);
      shell.show(made, words);
    },
  });
  define(graph, {
    usage: "update <id>",
    summary: "change fields; they come as JSON on standard input, null takes one away",
    example: `echo '{"done": true}' | deputy graph update ID`,
    options: [...links, ["--unlink <link...>", "label=id: take a link away"]],
    async run(shell, [id = ""], options) {
      const change = { links: linksOf(options, "link"), unlink: linksOf(options, "unlink") };
      const onlyLinks = change.links.length + change.unlink.length > 0 && process.stdin.isTTY;
      const input = { id, values: onlyLinks ? {} : await readFields(), ...change };
      const { text: words, ...done } = await shell.call("graph.update", input);
      shell.show(done, words);
    },
  });
  define(graph, {
    usage: "delete <id>",
    summary: "no longer find it; it can be brought back",
    example: "deputy graph list note && deputy graph delete ID",
    async run(shell, [id = ""]) {
      const { entity, text: words } = await shell.call("graph.delete", { id });
      shell.show({ entity }, `${words}\nTo bring it back: deputy graph restore ${entity.id}`);
    },
  });
  define(graph, {
    usage: "restore <id>",
    summary: "bring back what was deleted",
    example: "deputy graph list note --deleted && deputy graph restore ID",
    async run(shell, [id = ""]) {
      const { entity, text: words } = await shell.call("graph.restore", { id });
      shell.show({ entity }, words);
    },
  });
}

function addMoves(graph: Command): void {
  define(graph, {
    usage: "export <file>",
    summary: "all of it with its history, as JSON lines; not encrypted",
    example: "deputy graph export graph.jsonl",
    async run(shell, [file = ""]) {
      const done = await shell.call("graph.export", { path: resolve(file) });
      const counts = `${done.entities} entities and ${done.changes} changes`;
      shell.show(done, plain(`Wrote ${counts} to ${done.path}. It is not encrypted.`));
    },
  });
  define(graph, {
    usage: "import <file>",
    summary: "take in what was exported, or JSON lines of your own; broken off, the same again goes on",
    example: "deputy graph import graph.jsonl",
    async run(shell, [file = ""]) {
      const done = await shell.call("graph.import", { path: resolve(file) });
      const refused = done.refused === 0 ? "" : ` ${done.refused} lines were not understood.`;
      shell.show(done, `Read ${done.entities} entities: ${done.added} were new or had news.${refused}`);
      return done.refused === 0 ? 0 : 1;
    },
  });
}

const OPERATORS = {
  "=": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  "~": "contains",
} as const;

function filtersOf(options: Options): Filter[] {
  const where = list(options, "where").map((filter): Filter => {
    const [, field, operator, value] = /^([^=!<>~]+)(!=|<=|>=|=|<|>|~)(.*)$/su.exec(filter) ?? [];
    if (field === undefined || operator === undefined || value === undefined) {
      throw new DeputyError("BAD_USAGE", "A filter is a field, a comparison and a value", {
        hint: `--where done=false, --where "due<2026-12-01", --where name~budget`,
      });
    }
    return { field: field.trim(), is: OPERATORS[operator as keyof typeof OPERATORS], value: value.trim() };
  });
  const missing = list(options, "missing").map((field): Filter => ({ field, is: "missing" }));
  const linked = list(options, "linked").map((link): Filter => {
    const at = link.indexOf("=");
    return { field: at < 0 ? "*" : link.slice(0, at), is: "linked", value: link.slice(at + 1) };
  });
  return [...where, ...missing, ...linked];
}

function linksOf(options: Options, name: string): Link[] {
  return list(options, name).map((link) => {
    const at = link.indexOf("=");
    if (at > 0) return { label: link.slice(0, at), id: link.slice(at + 1) };
    throw new DeputyError("BAD_USAGE", "A link is a label, = and an id", { hint: "--link project=ID" });
  });
}

function limitOf(options: Options): { limit?: number } {
  const asked = text(options, "limit");
  if (asked === undefined) return {};
  const limit = Number(asked);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 500) return { limit };
  throw new DeputyError("BAD_USAGE", "--limit is a number from 1 to 500");
}

async function readFields(): Promise<Record<string, unknown>> {
  const fields = await readJson();
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields))
    return fields as Record<string, unknown>;
  throw new DeputyError("BAD_INPUT", "The fields are not a JSON object", {
    hint: 'It looks like {"name": "…"}.',
  });
}
