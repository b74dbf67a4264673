import type {
  Change,
  EntityDetails,
  Found,
  GraphEntity,
  JsonRecord,
  LinkedEntity,
  Listed,
  PastState,
  ShapeBook,
} from "../../graph/index.ts";
import type { Caller } from "../../kernel/index.ts";
import { cleanLine, entityLine, escapeStart, render } from "../../skills/index.ts";
import type { GraphMethods } from "./graph-methods.ts";

const LONGEST_VALUE = 160;
const MOST_SOURCES = 8;

/** How to ask for more, in the words of whoever asked. */
interface Words {
  get(id: string): string;
  history(id: string): string;
  restore(id: string): string;
  next(cursor: string): string;
  missing(field: string): string;
}

const AT_A_TERMINAL: Words = {
  get: (id) => `deputy graph get ${id}`,
  history: (id) => `deputy graph history ${id}`,
  restore: (id) => `deputy graph restore ${id}`,
  next: (cursor) => `the same with --cursor ${cursor}`,
  missing: (field) => `--missing ${field}`,
};

const BY_TOOLS: Words = {
  get: (id) => `get({"id": "${id}"})`,
  history: (id) => `history({"id": "${id}"})`,
  restore: (id) => `deputy graph restore ${id}, by the user`,
  next: (cursor) => `the same call with "cursor": "${cursor}"`,
  missing: (field) => `the filter {"field": "${field}", "is": "missing"}`,
};

/** The graph for the smallest model: one entity a line, name first, ids in parentheses, what else there is at the end. */
export function createGraphViews(book: ShapeBook, { via }: Caller) {
  const words = via === "mcp" ? BY_TOOLS : AT_A_TERMINAL;

  /** A service's own id is a value; the one to ask with is the graph's. */
  const recordOf = ({ id, values }: Pick<GraphEntity, "id" | "values">): JsonRecord => {
    const { id: theirs, ...rest } = values;
    return { ...rest, ...(theirs === undefined ? {} : { service_id: theirs }), id };
  };
  const lineOf = (entity: GraphEntity, shape?: string): string => {
    const line = escapeStart(entityLine(book, entity.shape, recordOf(entity)));
    return `- ${shape === entity.shape ? "" : `${entity.shape}: `}${line}`;
  };
  const more = (lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", "More:", ...lines.map((line) => `- ${line}`)];
  const name = (entity: GraphEntity) => lineOf(entity, entity.shape).slice(2);
  const linkLine = (way: string, { label, id, shape, name: called }: LinkedEntity) =>
    `${way}${cleanLine(label)}: ${cleanLine(called)} (${shape}, id: ${id})`;

  return {
    found({ entities, some_words }: Found): string {
      if (entities.length === 0) return "0 results. Nothing that is remembered has these words.";
      const head = `${counted(entities.length, "result")}${some_words ? ": none has all the words, these have some" : ""}`;
      return [
        head,
        ...entities.map((entity) => lineOf(entity)),
        ...more([`one with its links: ${words.get("ID")}`]),
      ].join("\n");
    },

    listed(input: GraphMethods["graph.list"]["in"], { entities, next, total, absent }: Listed): string {
      const { shape } = input;
      const all = total !== null && total > entities.length ? ` of ${total}` : "";
      const head = `${entities.length}${all} ${entities.length === 1 && all === "" ? "result" : "results"} (${cleanLine(shape)})`;
      const silent = Object.entries(absent).flatMap(([field, count]) => {
        if (count === 0) return [];
        const say = count === 1 ? "1 more says" : `${count} more say`;
        return [
          `${say} nothing about ${cleanLine(field)}: absent is not false. To see those: ${words.missing(cleanLine(field))}`,
        ];
      });
      const lines = [
        ...(next === null ? [] : [`next page: ${words.next(next)}`]),
        ...(entities.length === 0 ? [] : [`one with its links: ${words.get("ID")}`]),
      ];
      return [head, ...entities.map((entity) => lineOf(entity, shape)), ...silent, ...more(lines)].join("\n");
    },

    detailed(entity: EntityDetails): string {
      const { shape, links, linked_from, more_links, sources, deleted } = entity;
      const returns = book.find(shape) === undefined ? undefined : shape;
      const drawn = render({ data: recordOf(entity), returns }, { detail: "full", format: "markdown" }, book);
      const said = new Map<string, string[]>();
      for (const [field, { skill, operation, agent, at }] of Object.entries(sources)) {
        const who = skill === undefined ? agent : `${skill}${operation === undefined ? "" : ` ${operation}`}`;
        const by = `${who}, ${at.slice(0, 10)}`;
        said.set(by, [...(said.get(by) ?? []), field]);
      }
      return [
        drawn,
        ...(deleted === null ? [] : [`deleted: ${deleted}; to bring it back: ${words.restore(entity.id)}`]),
        ...links.map((link) => linkLine("", link)),
        ...linked_from.map((link) => linkLine("is the other end of ", link)),
        ...(more_links > 0 ? [`(${more_links} more links)`] : []),
        ...[...said]
          .slice(0, MOST_SOURCES)
          .map(([by, fields]) => `said by ${cleanLine(by)}: ${fields.map(cleanLine).join(", ")}`),
        ...more([`what happened to it: ${words.history(entity.id)}`]),
      ].join("\n");
    },

    written(verb: string, entity: GraphEntity, warnings: readonly string[] = []): string {
      return [
        `${verb}: ${name(entity)}`,
        ...warnings.map((warning) => `warning: ${cleanLine(warning)}`),
      ].join("\n");
    },

    history(changes: readonly Change[], next: string | null): string {
      const lines = changes.flatMap((change) => {
        const { skill, agent } = change.by;
        const by = skill === undefined ? agent : `${agent} by ${skill}`;
        return [
          `- ${change.at} ${change.action} by ${cleanLine(by)} (id: ${change.id})`,
          ...Object.entries(change.fields).map(([field, { before, after }]) => {
            const was = before === undefined ? "" : `${brief(before)} → `;
            return `  ${cleanLine(field)}: ${was}${after === undefined ? "(nothing)" : brief(after)}`;
          }),
          ...change.added.map(({ label, id }) => `  + ${cleanLine(label)}: ${id}`),
          ...change.removed.map(({ label, id }) => `  - ${cleanLine(label)}: ${id}`),
        ];
      });
      const rest = next === null ? [] : [`what was before: ${words.next(next)}`];
      return [counted(changes.length, "change"), ...lines, ...more(rest)].join("\n");
    },

    past(state: PastState | null, time: string): string {
      if (state === null) return `It was not known yet at ${time}.`;
      const fields = Object.entries(state.values).map(
        ([field, value]) => `${cleanLine(field)}: ${brief(value)}`,
      );
      const links = state.links.map(({ label, id }) => `${cleanLine(label)}: ${id}`);
      const note =
        state.merged_into === null ? (state.deleted ? ", deleted" : "") : `, a part of ${state.merged_into}`;
      return [`${state.shape} (id: ${state.id}${note}), at ${time}`, ...fields, ...links].join("\n");
    },
  };
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function brief(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = cleanLine(text.slice(0, LONGEST_VALUE));
  return text.length > LONGEST_VALUE ? `${line}…` : line === "" ? '""' : line;
}
