import { z } from "zod";

/** `surfaces:` of config.yaml. Everything is off until it is enabled. */
export const surfaceConfig = z
  .strictObject({
    chromium: z
      .strictObject({
        enabled: z.boolean().default(false),
        /** A profile's name or its folder. Default: the default profile of the first browser found. */
        profile: z.string().optional(),
        browser: z.string().optional(),
        /** Keep cookies that end with the session for so many days; else a closed profile gets none of them. */
        session_days: z.number().int().min(1).max(400).optional(),
      })
      .prefault({}),
    sidecar: z
      .strictObject({ enabled: z.boolean().default(false), seal: z.boolean().default(false) })
      .prefault({}),
    /** Whose login is delivered, by domain, where there are several accounts. */
    accounts: z.record(z.string().toLowerCase(), z.string()).default({}),
    files: z.strictObject({ adapters: z.array(z.string()).default([]) }).prefault({}),
    live: z
      .strictObject({ enabled: z.boolean().default(false), endpoint: z.string().optional() })
      .prefault({}),
  })
  .prefault({});

export type SurfaceConfig = z.output<typeof surfaceConfig>;
