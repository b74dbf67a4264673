import type { Environment } from "./environment.ts";

/**
 * What coding agents put into the environment of the commands they run. Settings a person keeps in a shell profile
 * (CODEX_HOME, CLAUDE_CODE_USE_BEDROCK, AIDER_MODEL) and what an editor gives to its owner's own terminal
 * (CURSOR_TRACE_ID, CLAUDE_CODE_SSE_PORT, TERM_PROGRAM) say nothing of who is typing, and are not here.
 */
const MARKERS: readonly (readonly [marker: RegExp, agent: string])[] = [
  [/^(CLAUDECODE|CLAUDE_CODE|CLAUDE_CODE_ENTRYPOINT|CLAUDE_CODE_SESSION_ID)$/, "claude-code"],
  [/^CODEX_(?!(HOME|API_KEY|ACCESS_TOKEN|CA_CERTIFICATE|SQLITE_HOME)$)/, "codex"],
  [/^CURSOR_AGENT$/, "cursor"],
  [/^GEMINI_CLI$/, "gemini-cli"],
  [/^OPENCODE$/, "opencode"],
  [/^ANTIGRAVITY_AGENT$/, "antigravity"],
  [/^AUGMENT_AGENT$/, "augment"],
  [/^CLINE_ACTIVE$/, "cline"],
  [/^GOOSE_TERMINAL$/, "goose"],
  [/^COPILOT_(AGENT|CLI|ALLOW_ALL)$/, "github-copilot"],
];

/** Any agent may name itself so: https://github.com/vercel/vercel/tree/main/packages/detect-agent */
const GENERIC_MARKER = "AI_AGENT";

/** Which agent runs this command; undefined: the owner. `DEPUTY_AGENT` counts only where no marker is set. */
export function callingAgent(env: Environment): { readonly name: string } | undefined {
  const set = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== "");
  const known = MARKERS.find(([marker]) => set.some((name) => marker.test(name)));
  if (known !== undefined) return { name: known[1] };
  const name = env[GENERIC_MARKER] || env["DEPUTY_AGENT"];
  return name === undefined ? undefined : { name };
}
