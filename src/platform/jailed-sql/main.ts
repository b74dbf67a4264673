/** The program that runs in the jail: one job on stdin, one answer on stdout. */
import { text } from "node:stream/consumers";
import { answerJob } from "./answer-job.ts";
import type { SqlJob } from "./sql-job.ts";

const job = JSON.parse(await text(process.stdin)) as SqlJob;
process.stdout.write(JSON.stringify(await answerJob(job)));
