import { resolve } from "node:path";
import type { Called, Methods } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { type Options, text } from "../define.ts";
import { choose } from "../prompt.ts";
import type { Shell } from "../shell.ts";

export type KeyKind = Methods["vault.rekey"]["in"]["key"];

/** How a sentence about the key ends. */
export const KEY_PLACES = {
  keyring: "in the system's keyring",
  passphrase: "a passphrase",
  file: "a file",
} as const;

export const KEY_OPTIONS = [
  ["--key <kind>", "where the vault's key is kept: keyring, passphrase or file"],
  ["--key-file <path>", "with --key file: another place than the Deputy home"],
] as const;

const KINDS: readonly { readonly value: KeyKind; readonly label: string; readonly hint: string }[] = [
  { value: "keyring", label: "The system's keyring", hint: "unlocked when you log in" },
  { value: "passphrase", label: "A passphrase", hint: "asked for after each start of the engine" },
  { value: "file", label: "A file", hint: "who can read your files can open the vault" },
];

export function keyKind(options: Options): KeyKind {
  const kind = text(options, "key");
  if (kind === "keyring" || kind === "passphrase" || kind === "file") return kind;
  throw new DeputyError("BAD_USAGE", "The kind of key is keyring, passphrase or file", {
    hint: "For example: --key keyring",
  });
}

export async function keyInput(
  shell: Shell,
  key: KeyKind,
  options: Options,
): Promise<Methods["vault.rekey"]["in"]> {
  const file = text(options, "keyFile");
  return {
    key,
    ...(key === "passphrase" ? { passphrase: await shell.passphrase("New passphrase", true) } : {}),
    ...(key === "file" && file !== undefined ? { key_file: resolve(file) } : {}),
  };
}

/** Where the owner would keep the key of a new vault, of the places that work here. */
export async function askKeyKind(shell: Shell): Promise<KeyKind> {
  const { checks } = await shell.call("doctor", {});
  const hasKeyring = checks.some(({ id, status }) => id === "keyring" && status === "ok");
  return choose<KeyKind>(
    "Where should the vault's key be kept?",
    KINDS.filter(({ value }) => hasKeyring || value !== "keyring"),
  );
}

export function describeKey({ created, key, warnings }: Called<"setup">): string {
  const there = `The vault is there already; its key is ${KEY_PLACES[key]}. To keep it elsewhere: deputy vault rekey --key …`;
  return [
    created ? `The vault is ready; its key is ${KEY_PLACES[key]}.` : there,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ].join("\n");
}
