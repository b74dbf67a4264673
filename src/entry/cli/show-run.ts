import type { Methods } from "../../engine/index.ts";
import { plain } from "./table.ts";

/** The result on stdout; what there is to say beside it on stderr, unless a program is reading. */
export function showRun({ text, meta }: Methods["run"]["out"], format: "markdown" | "json"): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  if (format === "json") return;
  for (const warning of meta.warnings) process.stderr.write(`deputy: ${plain(warning)}\n`);
  for (const { domain, account, item_type } of meta.stored)
    process.stderr.write(plain(`deputy: stored the ${item_type} of ${account} at ${domain}`) + "\n");
}
