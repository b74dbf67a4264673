import { allOf, type Described, type DescribedOption } from "./describe-commands.ts";
import { MAN_SECTIONS } from "./man-sections.ts";

/** Options every command has: told once. */
const COMMON = ["--json", "--passphrase-fd", "--help"];

/** The manual page, in the macros of man(7). */
export function manPage(root: Described, version: string): string {
  const commands = allOf(root).slice(1);
  const common = commands.flatMap(({ options }) => options).filter(isCommon);
  const once = COMMON.flatMap((name) => common.find(({ names }) => names.includes(name)) ?? []);
  return [
    `.TH DEPUTY 1 "" "deputize ${version}" "Deputy"`,
    ".SH NAME",
    `deputy \\- ${text(decapitalized(root.summary))}`,
    ".SH SYNOPSIS",
    ".B deputy",
    "\\fIcommand\\fR [\\fIargument\\fR ...] [\\fIoption\\fR ...]",
    ".br",
    ".B deputy",
    "[\\fIcommand\\fR] \\fB\\-\\-help\\fR",
    section(MAN_SECTIONS.description),
    ".SH OPTIONS",
    "Every command takes:",
    ...once.map(option),
    ".PP",
    "And deputy itself:",
    ...root.options.filter((one) => !isCommon(one)).map(option),
    ".SH COMMANDS",
    ...commands.map(command),
    ...MAN_SECTIONS.after.map(section),
    "",
  ].join("\n");
}

function command({ path, args, summary, options, examples, more }: Described): string {
  const given = args.map(({ name, required, variadic }) => {
    const shown = `\\fI${text(name)}\\fR${variadic ? " ..." : ""}`;
    return required ? shown : `[${shown}]`;
  });
  const own = options.filter((one) => !isCommon(one));
  return [
    `.SS "${[`deputy ${text(path.join(" "))}`, ...given].join(" ")}"`,
    text(sentence(summary)),
    ...own.map(option),
    ...(examples.length === 0 ? [] : [".PP", "Example:", verbatim(examples.join("\n"))]),
    ...(more === "" ? [] : [".PP", verbatim(more)]),
  ].join("\n");
}

function option({ names, value, description }: DescribedOption): string {
  const shown = names.map((name) => `\\fB${text(name)}\\fR`).join(", ");
  return [".TP", value === undefined ? shown : `${shown} \\fI${text(value)}\\fR`, text(description)].join(
    "\n",
  );
}

/** `[heading, ...paragraphs]`; a paragraph that is a pair is a term and what it means, one in lines is kept as it is. */
export type ManSection = readonly [
  heading: string,
  ...paragraphs: readonly (string | readonly [string, string])[],
];

function section([heading, ...paragraphs]: ManSection): string {
  const lines = paragraphs.flatMap((one, n) => {
    if (typeof one !== "string") return [".TP", `\\fB${text(one[0])}\\fR`, text(one[1])];
    const body = one.startsWith("  ") ? verbatim(one) : text(one);
    return n === 0 ? [body] : [".PP", body];
  });
  return [`.SH ${heading}`, ...lines].join("\n");
}

function verbatim(lines: string): string {
  return [".nf", ".RS 4", text(lines), ".RE", ".fi"].join("\n");
}

function isCommon({ names }: DescribedOption): boolean {
  return names.some((name) => COMMON.includes(name));
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}${/[.?!…]$/.test(summary) ? "" : "."}`;
}

function decapitalized(summary: string): string {
  return `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`.replace(/\.$/, "");
}

/** groff_man(7): a backslash, a line that begins with a dot or a quote, and all that is not ASCII have forms of their own. */
function text(plain: string): string {
  return plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replaceAll("…", "...")
    .replace(
      /[^\x00-\x7f]/gu,
      (one) => `\\[u${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^\./gm, "\\&.");
}
