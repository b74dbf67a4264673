import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Methods } from "../../../engine/index.ts";
import { DeputyError, shellWord } from "../../../kernel/index.ts";
import { define, given, list, type Options, text } from "../define.ts";
import { say } from "../say.ts";
import { plain } from "../table.ts";

type Request = Methods["curl"]["in"];
type Header = readonly [string, string];

export function addCurl(program: Command): void {
  define(program, {
    usage: "curl <url>",
    summary: "a request as one of your identities, chosen by the URL's domain",
    example: "deputy curl https://example.com/account --account joe@example.com",
    options: [
      ["-X, --request <method>", "GET, or POST where there is data"],
      ["-H, --header <header...>", "Name: value; may be given several times"],
      ["-d, --data <data>", "the body; @file reads a file, @- standard input"],
      ["-i, --include", "show the status and the headers too"],
      ["--account <account>", "which account, where there are several"],
      ["--provider <provider>", "only the login of this browser: chromium, firefox:Work"],
    ],
    async run(shell, [url = ""], options) {
      const chunks: Buffer[] = [];
      // The body is passed on as it arrives, unless it must wait for the headers or become part of a document.
      const hold = shell.json || options["include"] === true;
      const answer = await shell.call("curl", requestOf(url, options), ({ chunk }) => {
        const bytes = Buffer.from(chunk ?? "", "base64");
        if (hold) chunks.push(bytes);
        else process.stdout.write(bytes);
      });
      if (answer.status === 401 && !shell.json) {
        const hint = `It may have ended. Log in again: deputy login ${shellWord(new URL(url).hostname)}`;
        say(`deputy: ${new URL(url).host} did not accept the login of ${answer.account} (401)\n  ${hint}`);
      }
      const body = Buffer.concat(chunks);
      if (shell.json) return shell.show({ ...answer, ...asText(body) }, "");
      if (!hold) return undefined;
      const head = answer.headers.map(([name, value]) => plain(`${name}: ${value}`));
      process.stdout.write(`${[`HTTP ${answer.status}`, ...head, ""].join("\n")}\n`);
      process.stdout.write(body);
      return undefined;
    },
  });
}

/** What the options of curl say a request is. */
export function requestOf(url: string, options: Options): Request {
  const data = text(options, "data");
  const body = data === undefined ? undefined : readData(data);
  const headers = list(options, "header").map(parseHeader);
  const typed = headers.some(([name]) => name.toLowerCase() === "content-type");
  // As curl does: data without a type is a form.
  const form: Header[] =
    body === undefined || typed ? [] : [["Content-Type", "application/x-www-form-urlencoded"]];
  const method = (text(options, "request") ?? (body === undefined ? "GET" : "POST")).toUpperCase();
  return {
    url,
    method,
    headers: [...headers, ...form],
    ...(body === undefined ? {} : { body: body.toString("base64") }),
    ...given(options, "account", "provider"),
  };
}

function parseHeader(written: string): Header {
  const colon = written.indexOf(":");
  if (colon > 0) return [written.slice(0, colon).trim(), written.slice(colon + 1).trim()];
  throw new DeputyError("BAD_USAGE", "A header is a name, a colon and a value", {
    hint: "For example: -H 'Accept: application/json'",
  });
}

function readData(written: string): Buffer {
  if (!written.startsWith("@")) return Buffer.from(written);
  const file = written.slice(1);
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (cause) {
    throw new DeputyError("NOT_FOUND", `Cannot read the data: ${plain(file)}`, {
      hint: "Check the path.",
      cause,
    });
  }
}

/** Text where it is text, else base64. */
function asText(body: Buffer): { body: string } | { body_base64: string } {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(body) };
  } catch {
    return { body_base64: body.toString("base64") };
  }
}
