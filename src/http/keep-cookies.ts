import type { Lease } from "./lease.ts";

/**
 * Puts an answer's cookies into the jar with the URL they came from, and tells the lease at once what changed: the
 * caller may throw, or be killed, before it returns.
 */
export async function keepCookies(lease: Lease, setCookies: readonly string[], url: URL): Promise<void> {
  const { jar } = lease;
  if (jar === null || setCookies.length === 0) return;
  const before = new Set(jar.changes());
  for (const header of setCookies) jar.set(header, url);
  const changes = jar.changes().filter((change) => !before.has(change));
  if (changes.length > 0) await lease.onJarChange(changes);
}
