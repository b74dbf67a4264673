import { allOf, type Described, type DescribedOption } from "./describe-commands.ts";
import { kindOfOption, kindsOfArguments, type ValueKind } from "./value-kinds.ts";

/** A script for zsh 5, one function a command, by zsh's own _arguments; compadd quotes what it inserts. */
export function zshCompletion(root: Described): string {
  return `#compdef deputy
# zsh completion for deputy, made by: deputy completion zsh

_deputy_ask() {
  local -a names
  names=("\${(@f)$(command deputy completion values "$@" 2>/dev/null)}")
  names=("\${(@)names:#}")
  (( $#names )) && compadd -- "\${(@)names}"
}

${allOf(root).map(functionOf).join("\n")}
if [[ $funcstack[1] == _deputy ]]; then _deputy "$@"; else compdef _deputy deputy; fi
`;
}

function functionOf(command: Described): string {
  const name = nameOf(command.path);
  const options = command.options.map((option) => optionSpec(command, option));
  if (command.words.length === 0)
    return `${name}() {\n${call("_arguments -s -S", [...options, ...argumentSpecs(command)])}\n}\n`;
  const words = command.words.map(({ path, summary }) => describeSpec(path.at(-1) ?? "", summary));
  const help = command.path.length === 0 ? [describeSpec("help", "display help for a command")] : [];
  return `${name}() {
  local curcontext=$curcontext state line
  local -a commands
  commands=(
${[...words, ...help].map((one) => `    ${one}`).join("\n")}
  )
${call("_arguments -C", [...options, "'1: :->word'", "'*:: :->rest'"])}
  case $state in
    word) _describe -t commands command commands ;;
    rest)
      case $words[1] in
${command.words.map(({ path }) => `        ${path.at(-1)}) ${nameOf(path)} ;;`).join("\n")}
${help.length === 0 ? "" : "        help) (( CURRENT == 2 )) && _describe -t commands command commands ;;\n"}      esac
      ;;
  esac
}
`;
}

function nameOf(path: readonly string[]): string {
  return ["_deputy", ...path].join("_").replaceAll("-", "_");
}

function call(command: string, specs: readonly string[]): string {
  return `  ${command}${specs.map((spec) => ` \\\n    ${spec}`).join("")}`;
}

function optionSpec(command: Described, option: DescribedOption): string {
  const { names, value, description } = option;
  if (value === undefined) {
    const excluded = names.length === 1 ? "" : quote(`(${names.join(" ")})`);
    return `${excluded}${choice(names)}${quote(`[${escape(description)}]`)}`;
  }
  // Some may be given several times, and commander does not say which.
  const kind = actionOf(kindOfOption(command, option));
  return `\\*${choice(names)}${quote(`[${escape(description)}]:${escape(value)}:${kind}`)}`;
}

function choice(names: readonly string[]): string {
  return names.length === 1 ? names.join("") : `{${names.join(",")}}`;
}

function argumentSpecs(command: Described): string[] {
  const { kinds, repeated } = kindsOfArguments(command);
  const names = command.args.map(({ name }) => name);
  const specs = kinds.map((kind, n) => {
    const place = repeated && n === kinds.length - 1 ? "*" : "";
    return quote(`${place}:${escape(names[n] ?? "word")}:${actionOf(kind)}`);
  });
  const open = !repeated && command.args.at(-1)?.variadic === true;
  return open ? [...specs, quote("*:word:")] : specs;
}

function actionOf(kind: ValueKind): string {
  switch (kind.kind) {
    case "anything":
      return " ";
    case "files":
      return "_files";
    case "oneOf":
      return `(${kind.values.join(" ")})`;
    case "asked":
      // A space in front: nothing is put between the words.
      return ` _deputy_ask ${kind.what}${kind.what === "operations" ? ' "$line[1]"' : ""}`;
  }
}

function describeSpec(word: string, summary: string): string {
  return quote(`${word.replaceAll(":", "\\:")}:${summary}`);
}

function escape(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
