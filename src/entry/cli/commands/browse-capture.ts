import type { Command } from "commander";
import type { CaptureInput } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { captureHar } from "../capture-har.ts";
import { captureText } from "../capture-text.ts";
import { define, given, oneOf, type Options, text } from "../define.ts";

export function addBrowseCapture(browse: Command): void {
  define(browse, {
    usage: "capture <url>",
    summary: "everything a page sends and receives, with the credentials masked",
    example: "deputy browse capture https://example.com/ --pattern '**/api/**'",
    options: [
      ["--session <id>", "in a session of yours; default: an empty one, for this alone"],
      ["--cdp <port>", "in the browser that runs with --remote-debugging-port, with its logins"],
      ["--pattern <pattern>", "only addresses that fit: any part for *, anything for **"],
      ["--format <format>", "text, json or har (default: text)"],
      ["--wait <seconds>", "how long to watch once the page is loaded, and after an action; default: 2"],
      ["--click <element>", "then click this (a CSS selector)"],
      ["--evaluate <script>", "or run this"],
      ["--intercept-navigation", "and tell where the page wants to go instead of going there"],
      ["--reveal", "with the credentials"],
    ],
    async run(shell, [url = ""], options) {
      const format = oneOf(options, "format", ["text", "json", "har"]) ?? (shell.json ? "json" : "text");
      const capture = await shell.call("browse.capture", inputOf(url, options));
      if (format === "har") shell.show(captureHar(capture), JSON.stringify(captureHar(capture), null, 2));
      else if (format === "json") shell.show(capture, JSON.stringify(capture, null, 2));
      else shell.show(capture, captureText(capture));
    },
  });
}

function inputOf(url: string, options: Options): CaptureInput {
  const [cdp, wait] = [text(options, "cdp"), text(options, "wait")];
  return {
    url,
    ...given(options, "session", "pattern", "click", "evaluate"),
    ...(cdp === undefined ? {} : { cdp: /^\d+$/.test(cdp) ? `http://127.0.0.1:${cdp}` : cdp }),
    ...(wait === undefined ? {} : { wait_ms: milliseconds(wait) }),
    ...(options["reveal"] === true ? { reveal: true } : {}),
    ...(options["interceptNavigation"] === true ? { intercept_navigation: true } : {}),
  };
}

function milliseconds(wait: string): number {
  const seconds = Number(wait);
  if (wait.trim() !== "" && seconds >= 0 && seconds <= 120) return seconds * 1000;
  throw new DeputyError("BAD_USAGE", "--wait takes seconds, at most 120");
}
