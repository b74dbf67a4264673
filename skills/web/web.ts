import type { Run, SkillResponse } from "deputize/skill";
import { type Element, elements, parseHtml, textOf } from "./html.ts";
import { absolute, mainPart, toMarkdown } from "./markdown.ts";

export async function readPage({ http, params }: Run) {
  const answer = await fetchPage(http, String(params["url"]));
  const type = answer.headers.get("content-type") ?? "";
  const about = {
    id: params["url"],
    url: answer.url,
    status: answer.status,
    content_type: type.split(";")[0],
  };
  const max = Number(params["max_length"]);
  if (!isHtml(type)) {
    if (!/^(text\/|application\/([\w.+-]*json|xml|[\w.+-]*\+xml|javascript|x-yaml|yaml))/.test(type))
      throw new Error(`${answer.url} is ${type || "of no type"}, which cannot be read as text`);
    return { ...about, name: answer.url, content: cut(answer.text(), max) };
  }
  const root = parseHtml(answer.text());
  const meta = metaOf(root);
  const base = absolute(
    [...elements(root)].find(({ name }) => name === "base")?.attributes["href"],
    answer.url,
  );
  const whole = params["whole"] === true;
  const content = toMarkdown(whole ? root : mainPart(root), {
    base: base ?? answer.url,
    links: params["links"] !== false,
    whole,
  });
  return {
    ...about,
    name: meta("og:title", "twitter:title") ?? titleOf(root) ?? answer.url,
    text: meta("description", "og:description", "twitter:description") ?? content.slice(0, 300),
    author: meta("author", "article:author"),
    published: meta("article:published_time", "date", "datepublished"),
    image: absolute(meta("og:image", "twitter:image"), answer.url),
    language: [...elements(root)].find(({ name }) => name === "html")?.attributes["lang"]?.slice(0, 2),
    content: cut(content, max),
  };
}

export async function listLinks({ http, params }: Run) {
  const answer = await fetchPage(http, String(params["url"]));
  const host = new URL(answer.url).host;
  const found = new Map<string, string>();
  for (const node of elements(parseHtml(answer.text()))) {
    const address = node.name === "a" ? absolute(node.attributes["href"], answer.url) : undefined;
    if (address === undefined || !address.startsWith("http")) continue;
    if (params["same_site"] === true && new URL(address).host !== host) continue;
    const text = textOf(node).replace(/\s+/g, " ").trim();
    if (!found.get(address)) found.set(address, text);
  }
  return [...found].map(([url, name]) => ({ id: url, url, name: name || url }));
}

async function fetchPage(http: Run["http"], url: string): Promise<SkillResponse> {
  const answer = await http.get(url);
  if (answer.ok) return answer;
  throw new Error(
    `${answer.url} answered ${answer.status}${answer.status === 403 ? ": it wants a browser or a login" : ""}`,
  );
}

function isHtml(type: string): boolean {
  return type === "" || /html/.test(type);
}

function metaOf(root: Element): (...names: string[]) => string | undefined {
  const found = new Map<string, string>();
  for (const { name, attributes } of elements(root)) {
    if (name !== "meta") continue;
    const key = (attributes["property"] ?? attributes["name"] ?? attributes["itemprop"] ?? "").toLowerCase();
    const content = attributes["content"]?.trim();
    if (key !== "" && content && !found.has(key)) found.set(key, content);
  }
  return (...names) => names.map((name) => found.get(name)).find((value) => value !== undefined);
}

function titleOf(root: Element): string | undefined {
  const title = [...elements(root)].find(({ name }) => name === "title");
  const text = title === undefined ? "" : textOf(title).replace(/\s+/g, " ").trim();
  return text === "" ? undefined : text;
}

function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text.slice(0, max)}\n\n[cut: ${text.length - max} more characters; max_length]`;
}
