/**
 * One agent goes by several names: what it says as an MCP client, what it says of itself in AI_AGENT
 * (https://github.com/vercel/vercel/tree/main/packages/detect-agent), what `deputy mcp install` calls it. On the right is the name
 * its marks in the environment have, which platform/ knows: a grant for it holds whichever way it comes.
 */
const ALSO_CALLED: readonly (readonly [said: RegExp, agent: string])[] = [
  [/^claude$/, "claude-code"],
  [/^codex-mcp-client$/, "codex"],
  [/^cursor-(vscode|cli)$/, "cursor"],
  // Earlier ones added the server's name.
  [/^gemini(-cli-mcp-client(-[\w.-]+)?)?$/, "gemini-cli"],
  [/^antigravity-client$/, "antigravity"],
  [/^augment-cli$/, "augment"],
];

/** The name grants and the log have for who says to be called so. Nobody becomes the owner, or whoever asks, by it. */
export function oneName(said: string): string {
  return ALSO_CALLED.find(([pattern]) => pattern.test(said))?.[1] ?? said;
}
