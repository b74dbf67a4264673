import type { ManSection } from "./man-page.ts";

/** What the commands do not say of themselves. */
export const MAN_SECTIONS: { readonly description: ManSection; readonly after: readonly ManSection[] } = {
  description: [
    "DESCRIPTION",
    "Deputy keeps your logins (cookies, API keys, OAuth tokens) in an encrypted vault on this machine, reads the ones your browsers already have, and lends exactly one of them to one call: of a skill, of an agent, or of yours. What a service renews meanwhile is taken back.",
    "One process of yours, the engine, holds the key. Commands start it when they need it. Agents reach it by MCP; what they may use is what you have granted, and everything they do is in the log.",
    "Begin with deputy setup, or with deputy demo, which shows all of it in a home of its own and leaves nothing behind.",
  ],
  after: [
    [
      "ENVIRONMENT",
      ["DEPUTY_HOME", "Where Deputy keeps everything, instead of ~/.deputy."],
      [
        "DEPUTY_AGENT",
        "The name of the agent that runs the command, for one that does not say so itself. Grants and the log name it; it may only do what an agent may.",
      ],
      [
        "DEPUTY_RESOLVE, SSL_CERT_FILE",
        "Addresses for host names, and further certificates. They count only for an engine that you start by hand: deputy engine start.",
      ],
    ],
    [
      "FILES",
      ["~/.deputy/vault.db", "The vault: every login sealed by itself."],
      [
        "~/.deputy/vault.key",
        "Its key, only where you chose a file for it. Otherwise it is in the system's keyring, or comes from your passphrase.",
      ],
      ["~/.deputy/config.yaml", "Settings of the engine, if you write any."],
      ["~/.deputy/policy.yaml", "Which logins may go to surfaces and peers."],
      ["~/.deputy/graph.db", "What runs have returned."],
      ["~/.deputy/skills/", "Skills of your own."],
      ["~/.deputy/logs/", "The log of what was done as whom, and the engine's own."],
      [
        "~/.deputy/run/, ~/.deputy/cache/",
        "The engine's socket and locks; compiled code, which may be deleted at any time.",
      ],
    ],
    [
      "EXIT STATUS",
      ["0", "Done."],
      ["1", "Failed."],
      ["2", "The command was not understood."],
      ["3", "A login is needed."],
      ["4", "Denied."],
      ["5", "The engine cannot be reached."],
    ],
    [
      "EXAMPLES",
      "Make the vault, see which browsers there are, and ask a service as the identity one of them has:",
      "  deputy setup\n  deputy browsers\n  deputy curl https://claude.ai/api/organizations",
      "Store a key and let a skill use it for a week:",
      '  echo \'{"key": "..."}\' | deputy vault set exa.ai joe@example.com --type api_key\n  deputy grants add --skill exa --identity exa.ai --expires 7d\n  deputy run exa search -p query="type systems"',
      "Give Deputy to an agent, and see what it does:",
      "  deputy mcp install claude-code\n  deputy log --follow",
    ],
    [
      "SEE ALSO",
      "age(1), bwrap(1), curl(1), secret-tool(1)",
      "The folder docs of the package: sessions.md, surfaces.md, sync.md, mcp.md, threat-model.md and the formats of everything that is stored.",
    ],
  ],
};
