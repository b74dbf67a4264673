import { completionTables, type Offer } from "./completion-tables.ts";
import type { Described } from "./describe-commands.ts";
import type { ValueKind } from "./value-kinds.ts";

/**
 * A script for bash 3.2 and later, without the bash-completion package. Names that others chose are compared and quoted one by
 * one: `compgen -W` would expand what is in them. It runs the deputy of the PATH, never the one that is being typed.
 */
export function bashCompletion(root: Described): string {
  const { words, options, values, args } = completionTables(root);
  const listed = ([place, offers]: [string, readonly Offer[]]) =>
    offers.length === 0 ? [] : [`    ${quote(place)}) words=(${offers.map((one) => one.word).join(" ")}) ;;`];
  const takes = [...values.keys()].map(quote).join("|");
  return `# bash completion for deputy, made by: deputy completion bash

_deputy_offer() {
  local word quoted
  for word in "$@"; do
    [[ $word == "$cur"* ]] || continue
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done
}

_deputy_ask() {
  local word
  while IFS= read -r word; do _deputy_offer "$word"; done < <(command deputy completion values "$@" 2>/dev/null)
}

_deputy_files() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  type compopt &>/dev/null && compopt -o filenames 2>/dev/null
}

_deputy_takes() {
  case "$1" in
    ${takes}) return 0 ;;
  esac
  return 1
}

_deputy_words() {
  case "$1" in
${[...words].flatMap(listed).join("\n")}
  esac
}

_deputy_options() {
  case "$1" in
${[...options].flatMap(listed).join("\n")}
  esac
}

_deputy_value() {
  case "$1" in
${[...values].flatMap(([place, kind]) => branch(quote(place), kind)).join("\n")}
  esac
}

_deputy_argument() {
  case "$1" in
${[...args].flatMap(([place, kind]) => branch(pattern(place), kind)).join("\n")}
  esac
}

_deputy() {
  local cur=\${COMP_WORDS[COMP_CWORD]} place="" option="" glued="" word known i
  local -a words args
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # bash breaks words at = and :, so that one word may be several here.
    if [[ $word == [=:] || $word == :: ]]; then glued=$word; continue; fi
    if [[ -n $glued ]]; then glued=""; option=""; continue; fi
    if [[ -n $option ]]; then option=""; continue; fi
    if [[ $word == -* ]]; then
      if _deputy_takes "$place $word"; then option=$word; fi
      continue
    fi
    words=()
    _deputy_words "$place"
    for known in "\${words[@]}"; do
      if [[ $known == "$word" ]]; then place="\${place:+$place }$word"; continue 2; fi
    done
    args+=("$word")
  done
  if [[ $cur == [=:] ]]; then glued=$cur cur=""; fi
  if [[ -n $option ]]; then _deputy_value "$place $option" "\${args[@]}"; return; fi
  if [[ -n $glued ]]; then return; fi
  words=()
  if [[ $cur != -* ]]; then
    if [[ \${#args[@]} -eq 0 ]]; then _deputy_words "$place"; fi
    _deputy_offer "\${words[@]}"
    _deputy_argument "$place \${#args[@]}" "\${args[@]}"
    if [[ -n $cur || \${#COMPREPLY[@]} -gt 0 ]]; then return; fi
  fi
  _deputy_options "$place"
  _deputy_offer "\${words[@]}"
}

complete -F _deputy deputy
`;
}

function branch(place: string, kind: ValueKind): string[] {
  switch (kind.kind) {
    case "anything":
      return [];
    case "files":
      return [`    ${place}) _deputy_files ;;`];
    case "oneOf":
      return [`    ${place}) _deputy_offer ${kind.values.join(" ")} ;;`];
    case "asked":
      // The skill is the first argument wherever an operation is the second.
      return [`    ${place}) _deputy_ask ${kind.what}${kind.what === "operations" ? ' "$2"' : ""} ;;`];
  }
}

function pattern(place: string): string {
  return place.endsWith(" *") ? `${quote(place.slice(0, -1))}*` : quote(place);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
