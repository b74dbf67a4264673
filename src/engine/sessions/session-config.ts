import { z } from "zod";

const minutes = z.number().positive().max(100_000);

/** The Chromium of sessions: one that is found, the program named, or one that runs at an address. */
export const browserConfig = z
  .union([
    z.string().transform((program) => ({ program })),
    z.strictObject({
      program: z.string().optional(),
      endpoint: z.url({ protocol: /^(https?|wss?)$/ }).optional(),
      headed: z.boolean().optional(),
    }),
  ])
  .prefault({})
  .transform(
    (given: {
      headed?: boolean | undefined;
      program?: string | undefined;
      endpoint?: string | undefined;
    }) => ({
      ...given,
      headed: given.headed ?? false,
    }),
  );

export const sessionConfig = z
  .strictObject({
    concurrent: z.number().int().positive().max(1000).default(10),
    per_agent: z.number().int().positive().max(1000).default(5),
    /** Without a command for so long, tabs are closed until the next one. */
    idle_minutes: minutes.default(10),
    /** And after this, a session ends. */
    expire_minutes: minutes.default(240),
    /** How long a session outlives the MCP connection it belongs to. */
    grace_seconds: z.number().nonnegative().max(86_400).default(30),
  })
  .prefault({});
