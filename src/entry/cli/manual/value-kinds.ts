import type { Described, DescribedOption } from "./describe-commands.ts";

/** What may stand in a place of the command line. */
export type ValueKind =
  | { readonly kind: "anything" }
  | { readonly kind: "files" }
  | { readonly kind: "oneOf"; readonly values: readonly string[] }
  | { readonly kind: "asked"; readonly what: Asked };

/** What `deputy completion values` can be asked for. */
export const ASKED = [
  "skills",
  "operations",
  "tools",
  "shapes",
  "sessions",
  "saved",
  "browsers",
  "peers",
  "grants",
] as const;
export type Asked = (typeof ASKED)[number];

const ANYTHING: ValueKind = { kind: "anything" };

/** Closed sets, by the place they stand in: a test compares them with the help of that place. */
const SETS: Readonly<Record<string, string>> = {
  "setup --key": "keyring passphrase file",
  "setup --client": "claude-code cursor codex",
  "vault rekey --key": "keyring passphrase file",
  "vault set --type": "cookies api_key oauth password",
  "run --detail": "preview full",
  "use --detail": "preview full",
  "run --format": "markdown json",
  "use --format": "markdown json",
  "cookies --format": "header json netscape storage-state",
  "browse capture --format": "text json har",
  "session act --button": "left middle right",
  "mcp install client": "claude-code cursor codex claude-desktop vscode gemini opencode zed",
  "deliver --surface": "chromium sidecar files live",
  "pair --as": "source sink",
};

/** By the place, where the name of a value does not say enough. */
const ASKED_AT: Readonly<Record<string, Asked>> = {
  "session open --from": "saved",
  "session forget name": "saved",
  "peers remove name": "peers",
  "source --peer": "peers",
  "grants remove id": "grants",
  "skills validate skills": "skills",
};

/** By the name of the value, wherever it stands. */
const ASKED_BY_NAME: Readonly<Record<string, Asked>> = {
  skill: "skills",
  "skill|domain": "skills",
  operation: "operations",
  tool: "tools",
  shape: "shapes",
  provider: "browsers",
  browser: "browsers",
};
const ASKED_BY_OPTION: Readonly<Record<string, Asked>> = { "--session": "sessions", "--browser": "browsers" };

/** Its words are one list to commander, and a session and an action to people. */
const SESSION_ACT: readonly ValueKind[] = [
  { kind: "asked", what: "sessions" },
  {
    kind: "oneOf",
    values: "goto back snapshot click hover select type fill press scroll evaluate wait screenshot".split(
      " ",
    ),
  },
];

const FILES = new Set(["file", "path", "folder"]);

export function kindOfOption(command: Described, option: DescribedOption): ValueKind {
  const [long = ""] = option.names.toReversed();
  const asked = ASKED_BY_OPTION[long];
  return asked === undefined
    ? kindOf(`${command.path.join(" ")} ${long}`, option.value ?? "")
    : { kind: "asked", what: asked };
}

/** What may stand in each place after the words of a command; the last of `repeated` may stand in all that follow. */
export function kindsOfArguments(command: Described): {
  readonly kinds: readonly ValueKind[];
  readonly repeated: boolean;
} {
  const place = command.path.join(" ");
  if (place === "session act") return { kinds: SESSION_ACT, repeated: false };
  return {
    kinds: command.args.map(({ name }) => kindOf(`${place} ${name}`, name)),
    repeated: command.args.at(-1)?.variadic ?? false,
  };
}

function kindOf(place: string, name: string): ValueKind {
  const values = SETS[place];
  if (values !== undefined) return { kind: "oneOf", values: values.split(" ") };
  const what = ASKED_AT[place] ?? ASKED_BY_NAME[name];
  // The tools of MCP are not those that skills provide.
  if (what !== undefined && place !== "mcp call tool") return { kind: "asked", what };
  return FILES.has(name) ? { kind: "files" } : ANYTHING;
}

/** For the test that compares them with the commands there are. */
export const PLACES: readonly string[] = [...Object.keys(SETS), ...Object.keys(ASKED_AT)];
