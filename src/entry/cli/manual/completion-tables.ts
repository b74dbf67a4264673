import { allOf, type Described } from "./describe-commands.ts";
import { kindOfOption, kindsOfArguments, type ValueKind } from "./value-kinds.ts";

/** What bash and fish look up while they read a line from left to right. Keys are words with one space between. */
export interface CompletionTables {
  /** `vault` → the words that may follow. */
  readonly words: ReadonlyMap<string, readonly Offer[]>;
  /** `vault set` → its options. */
  readonly options: ReadonlyMap<string, readonly Offer[]>;
  /** `vault set --type` → what follows it. */
  readonly values: ReadonlyMap<string, ValueKind>;
  /** `run 0` → its first argument; `skills validate *` → any. */
  readonly args: ReadonlyMap<string, ValueKind>;
}

export interface Offer {
  readonly word: string;
  readonly description: string;
}

export function completionTables(root: Described): CompletionTables {
  const words = new Map<string, readonly Offer[]>();
  const options = new Map<string, readonly Offer[]>();
  const values = new Map<string, ValueKind>();
  const args = new Map<string, ValueKind>();
  for (const command of allOf(root)) {
    const place = command.path.join(" ");
    words.set(place, command.words.map(offerOf));
    options.set(
      place,
      command.options.flatMap(({ names, description }) => names.map((word) => ({ word, description }))),
    );
    for (const option of command.options) {
      if (option.value === undefined) continue;
      for (const name of option.names) values.set(`${place} ${name}`, kindOfOption(command, option));
    }
    const { kinds, repeated } = kindsOfArguments(command);
    kinds.forEach((kind, n) => {
      args.set(`${place} ${repeated && n === kinds.length - 1 ? "*" : n}`, kind);
    });
  }
  words.set("", [...(words.get("") ?? []), { word: "help", description: "display help for a command" }]);
  args.set("help 0", { kind: "oneOf", values: root.words.map((one) => offerOf(one).word) });
  return { words, options, values, args };
}

function offerOf({ path, summary }: Described): Offer {
  return { word: path.at(-1) ?? "", description: summary };
}
