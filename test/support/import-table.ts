/**
 * What each folder of src/ may import. Anything absent is forbidden: data flows one way. docs/architecture.md shows the
 * same table.
 */
export const MAY_IMPORT: Record<string, readonly string[]> = {
  kernel: [],
  platform: ["kernel"],
  cookies: ["kernel"],
  vault: ["kernel", "platform"],
  access: ["kernel", "platform"],
  expressions: ["kernel"],
  cdp: ["kernel", "platform"],
  chromium: ["kernel", "platform", "cookies"],
  browsers: ["kernel", "platform", "cookies", "chromium", "cdp"],
  http: ["kernel", "platform", "cookies"],
  auth: ["kernel", "cookies", "vault", "expressions", "http"],
  graph: ["kernel", "platform"],
  skills: ["kernel", "platform", "cookies", "access", "expressions", "http", "auth", "graph"],
  surfaces: ["kernel", "platform", "cookies", "chromium", "cdp"],
  sync: ["kernel", "platform", "cookies", "vault", "surfaces"],
  sessions: ["kernel", "platform", "cookies", "cdp"],
  engine: [
    ..."kernel platform cookies vault access expressions cdp chromium browsers http auth graph".split(" "),
    ..."skills surfaces sync sessions".split(" "),
  ],
  demo: ["kernel", "platform", "cookies", "chromium"],
  "entry/cli": ["kernel", "engine", "demo"],
  "entry/mcp": ["kernel", "engine"],
};
