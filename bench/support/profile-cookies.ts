import type { Unlabelled } from "../../src/cookies/index.ts";

/** So many cookies as a profile has them, spread evenly over site0.com, site1.com, … */
export function profileCookies(count: number, domains: number): Unlabelled[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, i) => ({
    name: `name-${Math.floor(i / domains)}`,
    value: "v".repeat(20 + ((i * 37) % 200)),
    domain: `site${i % domains}.com`,
    hostOnly: false,
    path: "/",
    expires: now + 30 * 86_400_000,
    secure: i % 2 === 0,
    httpOnly: i % 3 === 0,
    sameSite: "lax",
    partitionKey: null,
    sourceScheme: "secure",
    sourcePort: 443,
    priority: "medium",
    created: now - i * 1000,
    updated: now - i * 1000,
  }));
}
