import { type Element, elements, type Node, textOf } from "./html.ts";

export interface MarkdownOptions {
  /** What relative addresses are relative to. */
  readonly base: string;
  readonly links: boolean;
  /** Menus and footers too. */
  readonly whole: boolean;
}

const SILENT = new Set(
  "script style noscript template iframe svg canvas head object select button input textarea dialog".split(
    " ",
  ),
);
const AROUND = new Set(["nav", "aside", "footer"]);
const AROUND_ROLES = new Set(["navigation", "complementary", "contentinfo", "search", "banner"]);
const BLOCK = new Set(
  "address article aside body details div dl dt dd fieldset figcaption figure footer form header html main nav p section summary table tbody thead tr".split(
    " ",
  ),
);

/** The part of a page that it is about: its main element, its only article, or where most of its paragraphs are. */
export function mainPart(root: Element): Element {
  const all = [...elements(root)];
  const main = all.find(({ name, attributes }) => name === "main" || attributes["role"] === "main");
  if (main !== undefined && size(main) > 0) return main;
  const articles = all.filter(({ name }) => name === "article");
  if (articles.length === 1 && articles[0] !== undefined && size(articles[0]) > 0) return articles[0];
  return all.find(({ name }) => name === "body") ?? root;
}

export function toMarkdown(node: Element, options: MarkdownOptions): string {
  return new Writer(options)
    .blocks(node)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

class Writer {
  readonly #options: MarkdownOptions;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  blocks(node: Element): string {
    return node.children.map((child) => this.#node(child)).join("");
  }

  #node(node: Node): string {
    if (typeof node === "string") return node.replace(/\s+/g, " ");
    const { name, attributes } = node;
    if (SILENT.has(name) || attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true")
      return "";
    if (!this.#options.whole && (AROUND.has(name) || AROUND_ROLES.has(attributes["role"] ?? ""))) return "";
    if (/^h[1-6]$/.test(name)) return this.#block(`${"#".repeat(Number(name[1]))} `, this.#inline(node));
    switch (name) {
      case "br":
        return "\n";
      case "hr":
        return "\n\n---\n\n";
      case "pre":
        return this.#code(node);
      case "code":
      case "kbd":
      case "samp":
        return this.#around("`", textOf(node).replace(/\s+/g, " "));
      case "strong":
      case "b":
        return this.#around("**", this.#inline(node));
      case "em":
      case "i":
        return this.#around("*", this.#inline(node));
      case "a":
        return this.#link(node);
      case "img":
        return this.#image(node);
      case "ul":
      case "ol":
        return this.#list(node);
      case "blockquote":
        return `\n\n${toMarkdown(node, this.#options).replace(/^/gm, "> ")}\n\n`;
      case "table":
        return this.#table(node);
      default:
        return BLOCK.has(name) ? `\n\n${this.blocks(node)}\n\n` : this.blocks(node);
    }
  }

  #inline(node: Element): string {
    return this.blocks(node).replace(/\s+/g, " ").trim();
  }

  #block(mark: string, text: string): string {
    return text === "" ? "" : `\n\n${mark}${text}\n\n`;
  }

  #around(mark: string, text: string): string {
    const inner = text.trim();
    if (inner === "") return text;
    return `${/^\s/.test(text) ? " " : ""}${mark}${inner}${mark}${/\s$/.test(text) ? " " : ""}`;
  }

  #code(node: Element): string {
    const language = [node, ...elements(node)]
      .map(({ attributes }) => /(?:^|\s)(?:lang|language)-([\w+#-]+)/.exec(attributes["class"] ?? "")?.[1])
      .find((found) => found !== undefined);
    const text = textOf(node).replace(/^\n|\s+$/g, "");
    const fence = text.includes("```") ? "````" : "```";
    return text === "" ? "" : `\n\n${fence}${language ?? ""}\n${text}\n${fence}\n\n`;
  }

  #link(node: Element): string {
    const text = this.#inline(node);
    const address = absolute(node.attributes["href"], this.#options.base);
    if (text === "" || address === undefined || !this.#options.links) return text;
    return `[${text.replace(/[[\]]/g, "\\$&")}](${address})`;
  }

  #image({ attributes }: Element): string {
    const text = (attributes["alt"] ?? "").replace(/\s+/g, " ").trim();
    const address = absolute(attributes["src"], this.#options.base);
    if (text === "" || address === undefined || address.startsWith("data:")) return "";
    return this.#options.links ? `![${text}](${address})` : text;
  }

  #list(node: Element): string {
    let number = Number(node.attributes["start"] ?? 1) || 1;
    const items = node.children
      .filter((child): child is Element => typeof child !== "string" && child.name === "li")
      .map((item) => {
        const mark = node.name === "ol" ? `${number++}. ` : "- ";
        const text = toMarkdown(item, this.#options);
        return text === ""
          ? ""
          : `${mark}${text.replace(/\n{2,}(?=[-\d])/g, "\n").replace(/\n/g, `\n${" ".repeat(mark.length)}`)}\n`;
      });
    return `\n\n${items.join("")}\n`;
  }

  #table(node: Element): string {
    const rows = [...elements(node)]
      .filter(({ name }) => name === "tr")
      .map((row) =>
        row.children
          .filter((child): child is Element => typeof child !== "string" && /^t[dh]$/.test(child.name))
          .map((cell) => this.#inline(cell).replaceAll("|", "\\|")),
      )
      .filter((cells) => cells.some((cell) => cell !== ""));
    const width = Math.max(0, ...rows.map((cells) => cells.length));
    // Of one column it is a frame around something else.
    if (width < 2) return `\n\n${this.blocks(node)}\n\n`;
    const lines = rows.map(
      (cells) => `| ${[...cells, ...Array(width - cells.length).fill("")].join(" | ")} |`,
    );
    lines.splice(1, 0, `|${" --- |".repeat(width)}`);
    return `\n\n${lines.join("\n")}\n\n`;
  }
}

export function absolute(address: string | undefined, base: string): string | undefined {
  if (address === undefined || address === "" || address.startsWith("#")) return undefined;
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

function size(node: Element): number {
  return textOf(node).trim().length;
}
