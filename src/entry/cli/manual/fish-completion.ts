import { completionTables, type Offer } from "./completion-tables.ts";
import type { Described } from "./describe-commands.ts";
import type { ValueKind } from "./value-kinds.ts";

/** A script for fish 3 and later. One function answers for everything; fish quotes what it inserts. */
export function fishCompletion(root: Described): string {
  const { words, options, values, args } = completionTables(root);
  const listed = ([place, offers]: [string, readonly Offer[]]) =>
    offers.length === 0
      ? []
      : [`        case ${quote(place)}`, `            printf '%s\\t%s\\n' ${offers.map(pair).join(" ")}`];
  return `# fish completion for deputy, made by: deputy completion fish

function __deputy_takes
    switch $argv[1]
        case ${[...values.keys()].map(quote).join(" ")}
            return 0
    end
    return 1
end

function __deputy_words
    switch $argv[1]
${[...words].flatMap(listed).join("\n")}
    end
end

function __deputy_options
    switch $argv[1]
${[...options].flatMap(listed).join("\n")}
    end
end

function __deputy_value
    switch $argv[1]
${[...values].flatMap(([place, kind]) => branch(place, kind)).join("\n")}
    end
end

function __deputy_argument
    switch $argv[1]
${[...args].flatMap(([place, kind]) => branch(place, kind)).join("\n")}
    end
end

function __deputy
    set -l place ''
    set -l option ''
    set -l given
    set -l tokens (commandline -opc)
    for token in $tokens[2..]
        if test -n "$option"
            set option ''
        else if string match -q -- '-*' $token
            __deputy_takes "$place $token"; and set option $token
        else if contains -- $token (__deputy_words "$place" | string replace -r '\\t.*' '')
            set place (string trim -- "$place $token")
        else
            set -a given $token
        end
    end
    set -l current (commandline -ct)
    if test -n "$option"
        __deputy_value "$place $option" $given
    else if string match -q -- '--*=*' $current
        set -l name (string split -m 1 = -- $current)[1]
        __deputy_value "$place $name" $given | string replace -r '^' -- "$name="
    else if string match -q -- '-*' $current
        __deputy_options "$place"
    else
        test (count $given) -eq 0; and __deputy_words "$place"
        __deputy_argument "$place "(count $given) $given
    end
end

complete -c deputy -f -a '(__deputy)'
`;
}

function branch(place: string, kind: ValueKind): string[] {
  const answer = answerOf(kind);
  return answer === undefined ? [] : [`        case ${quote(place)}`, `            ${answer}`];
}

function answerOf(kind: ValueKind): string | undefined {
  switch (kind.kind) {
    case "anything":
      return undefined;
    case "files":
      return "__fish_complete_path (commandline -ct)";
    case "oneOf":
      return `printf '%s\\n' ${kind.values.map(quote).join(" ")}`;
    case "asked":
      // The skill is the first argument wherever an operation is the second.
      return `command deputy completion values ${kind.what}${kind.what === "operations" ? " $argv[2]" : ""} 2>/dev/null`;
  }
}

function pair({ word, description }: Offer): string {
  return `${quote(word)} ${quote(description)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
