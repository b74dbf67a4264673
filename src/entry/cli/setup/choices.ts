import { DeputyError } from "../../../kernel/index.ts";
import { list, type Options, text } from "../define.ts";
import { isInteractive } from "../prompt.ts";
import { type KeyKind, keyKind } from "./vault-key.ts";

/** What the command line says about the first meeting. */
export interface Choices {
  /** Whether there is somebody to ask for what it does not say. */
  readonly asks: boolean;
  readonly key: KeyKind | undefined;
  /** Domains as they were typed. */
  readonly share: readonly string[];
  readonly sharesNothing: boolean;
  readonly access: "read-only" | "everything" | undefined;
  /** Whom a login is shared with. */
  readonly agent: string;
  readonly clients: readonly string[];
  readonly noClients: boolean;
  /** For what the key needs besides. */
  readonly options: Options;
}

/** Whoever asks: at a first meeting the owner cannot know what agents will be called. */
const ANYBODY = "*";

export const CHOICE_OPTIONS = [
  ["--share <domain...>", "let agents use your browser's login there; may be given several times"],
  ["--read-only", "what is shared is only for reading (default)"],
  ["--everything", "what is shared is for changing things too"],
  ["--agent <agent>", "share with this agent alone (default: whoever asks)"],
  ["--no-share", "share nothing, and ask nothing about it"],
  ["--client <name...>", "add Deputy to this client: claude-code, cursor, codex"],
  ["--no-clients", "add Deputy to no client, and ask nothing about it"],
] as const;

export function choicesOf(options: Options, json: boolean): Choices {
  const everything = options["everything"] === true;
  const readOnly = options["readOnly"] === true;
  if (readOnly && everything) {
    throw new DeputyError("BAD_USAGE", "Either --read-only or --everything, not both", {
      hint: "Without either it is read-only.",
    });
  }
  return {
    asks: options["yes"] !== true && !json && isInteractive(),
    key: options["key"] === undefined ? undefined : keyKind(options),
    share: list(options, "share"),
    sharesNothing: options["share"] === false,
    access: everything ? "everything" : readOnly ? "read-only" : undefined,
    agent: text(options, "agent") ?? ANYBODY,
    clients: list(options, "client"),
    noClients: options["clients"] === false,
    options,
  };
}
