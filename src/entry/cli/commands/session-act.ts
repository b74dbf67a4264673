import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { SessionActed, SessionAction } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { define, given, oneOf, type Options, text } from "../define.ts";
import { readText } from "../input.ts";
import { plain } from "../table.ts";

const ACTIONS = `What to do:
  goto URL              back                    snapshot
  click ELEMENT         hover ELEMENT           select ELEMENT OPTION…
  type ELEMENT TEXT     fill ELEMENT TEXT       press KEY [ELEMENT]
  scroll [ELEMENT]      evaluate SCRIPT [ELEMENT]
  wait [--text T] [--text-gone T] [--element E] [--gone E] [--load] [--ms N]
  screenshot [ELEMENT] --out FILE

ELEMENT is a reference from a snapshot, such as e12, or a CSS selector. TEXT and SCRIPT as - come from standard input.`;

export function addSessionAct(session: Command): void {
  define(session, {
    usage: "act <words...>",
    summary: "do something in a session's tab: SESSION ACTION …",
    example: "deputy session act session_… goto https://example.com/ --snapshot",
    options: [
      ["--session <id>", "which session, where it is not the first word"],
      ["--tab <id>", "which tab; default: the one used last, or one the page opened since"],
      ["--snapshot", "show the page as it is afterwards"],
      ["--timeout <seconds>", "how long to wait for an element, at most 60; default: 10"],
      ["--accept", "accept the page's dialogs instead of cancelling them"],
      ["--enter", "type: and press Enter"],
      ["--double", "click: twice"],
      ["--button <button>", "click: left, middle or right"],
      ["--by <x,y>", "scroll: by so many pixels"],
      ["--out <file>", "screenshot: where to put the PNG"],
      ["--full", "screenshot: the whole page"],
      ["--text <text>", "wait: until it is there"],
      ["--text-gone <text>", "wait: until it is not there"],
      ["--element <element>", "wait: until it is shown"],
      ["--gone <element>", "wait: until it is not shown"],
      ["--load", "wait: until the page is loaded"],
      ["--ms <number>", "wait: so long"],
    ],
    async run(shell, args, options) {
      const words = args.flat();
      const id = text(options, "session") ?? words.shift() ?? "";
      const [name = "", ...rest] = words;
      const out = text(options, "out");
      if (name === "screenshot" && out === undefined)
        throw new DeputyError("BAD_USAGE", "A picture needs a file to go to", {
          hint: "For example: --out page.png",
        });
      const timeout = text(options, "timeout");
      const { png, ...acted } = await shell.call("session.act", {
        session: id,
        act: await actionOf(name, rest, options),
        ...given(options, "tab"),
        ...(timeout === undefined ? {} : { timeout_ms: numberOf(timeout, "--timeout") * 1000 }),
        ...(options["snapshot"] === true ? { snapshot: true } : {}),
        ...(options["accept"] === true ? { accept_dialogs: true } : {}),
      });
      const file = out === undefined || png === undefined ? undefined : resolve(out);
      if (file !== undefined) writeFileSync(file, Buffer.from(png ?? "", "base64"), { mode: 0o600 });
      shell.show({ ...acted, ...(file === undefined ? {} : { file }) }, inWords(acted, file));
    },
  });
  session.commands.at(-1)?.addHelpText("after", `\n${ACTIONS}`);
}

async function actionOf(name: string, words: readonly string[], options: Options): Promise<SessionAction> {
  const [first, second] = words;
  const most = { select: Infinity, type: 2, fill: 2, press: 2, evaluate: 2, wait: 0, back: 0, snapshot: 0 };
  if (words.length > (most[name as keyof typeof most] ?? 1)) throw usage(`${name} takes fewer words`);
  const need = (what: string, word: string | undefined): string => {
    if (word !== undefined) return word;
    throw usage(`${name} needs ${what}`);
  };
  const element = (word: string | undefined) => (word === undefined ? {} : { element: word });
  const written = async (word: string | undefined) => {
    const asIs = need("a text", word);
    return asIs === "-" ? readText() : asIs;
  };
  switch (name) {
    case "goto":
      return { do: name, url: need("an address", first) };
    case "back":
    case "snapshot":
      return { do: name };
    case "screenshot":
      return { do: name, ...element(first), ...(options["full"] === true ? { full: true } : {}) };
    case "click":
      return {
        do: name,
        element: need("an element", first),
        ...buttonOf(options),
        ...(options["double"] === true ? { double: true } : {}),
      };
    case "hover":
      return { do: name, element: need("an element", first) };
    case "type":
      return {
        do: name,
        element: need("an element", first),
        text: await written(second),
        ...(options["enter"] === true ? { enter: true } : {}),
      };
    case "fill":
      return { do: name, element: need("an element", first), text: await written(second) };
    case "press":
      return { do: name, key: need("a key", first), ...element(second) };
    case "select":
      return {
        do: name,
        element: need("an element", first),
        options: [need("an option", second), ...words.slice(2)],
      };
    case "scroll":
      return { do: name, ...element(first), ...byOf(options) };
    case "evaluate":
      return { do: name, script: await written(first), ...element(second) };
    case "wait":
      return { do: name, ...waitOf(options) };
    default:
      throw usage(name === "" ? "Say what to do" : `There is no action ${name}`);
  }
}

function waitOf(options: Options): Omit<SessionAction & { do: "wait" }, "do"> {
  const [textGone, ms] = [text(options, "textGone"), text(options, "ms")];
  const wait = {
    ...given(options, "text", "element", "gone"),
    ...(textGone === undefined ? {} : { text_gone: textGone }),
    ...(ms === undefined ? {} : { ms: numberOf(ms, "--ms") }),
    ...(options["load"] === true ? { load: true } : {}),
  };
  if (Object.keys(wait).length === 0) throw usage("Say what to wait for");
  return wait;
}

function buttonOf(options: Options): { button?: "left" | "middle" | "right" } {
  const button = oneOf(options, "button", ["left", "middle", "right"]);
  return button === undefined ? {} : { button };
}

function byOf(options: Options): { x?: number; y?: number } {
  const by = text(options, "by");
  if (by === undefined) return {};
  const [x = "", y = "0"] = by.split(",");
  return { x: numberOf(x, "--by"), y: numberOf(y, "--by") };
}

function numberOf(word: string, option: string): number {
  const number = word.trim() === "" ? Number.NaN : Number(word);
  if (Number.isFinite(number)) return number;
  throw usage(`${option} takes a number`);
}

function usage(message: string): DeputyError {
  return new DeputyError("BAD_USAGE", message, { hint: "See deputy session act --help" });
}

function inWords(acted: Omit<SessionActed, "png">, file: string | undefined): string {
  const { did, url, title, value, snapshot, dialogs, opened } = acted;
  const lines = [
    `${did}. ${title === "" ? "" : `${title}, `}${url}`,
    ...dialogs.map((said) => `The page asked: ${said}`),
    ...opened.map(({ id, url: where }) => `A tab opened: ${id} at ${where}`),
    ...(file === undefined ? [] : [file]),
  ].map(plain);
  const shown = value === undefined || typeof value === "string" ? value : JSON.stringify(value, null, 2);
  for (const more of [shown, snapshot]) if (more !== undefined) lines.push(...more.split("\n").map(plain));
  return lines.join("\n");
}
