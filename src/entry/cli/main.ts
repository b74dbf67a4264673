/** What bin/deputy starts. */
import { main } from "./program.ts";

// A reader may close early (deputy log | head), and a disk may be full where the output goes.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.stderr.write(`deputy: Cannot write the output (${error.code})\n`);
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
}

process.exitCode = await main(process.argv.slice(2));
