import type { CookieChange } from "../cookies/index.ts";
import type { OpenSession } from "./open-session.ts";

/**
 * What services did to a session's cookies: returned to the vault where that was asked for, and said where other sessions
 * were cloned with the same token, which they may now have lost.
 */
export async function lookAtCookies(
  session: OpenSession,
  siblings: readonly OpenSession[],
  now: number,
): Promise<void> {
  const { writeBack, watch } = session;
  if (writeBack === null && siblings.length === 0) return;
  const changes = watch.changes(await session.cookies(), now);
  if (writeBack !== null) {
    const { domain, deletions } = writeBack;
    const own = changes.filter((change) => isOf(domain, change) && (deletions || change.kind === "set"));
    if (own.length > 0) await writeBack.keep(own);
  }
  for (const cookie of watch.renewed()) {
    const shared = siblings.filter((other) => watch.sharesWith(other.watch, cookie));
    const words = `${cookie.name} of ${cookie.domain} was renewed in one of the sessions that share this login`;
    for (const one of shared.length === 0 ? [] : [session, ...shared])
      one.warn(`${words}: the service may take only the newest, and the others may be logged out`);
  }
}

function isOf(domain: string, change: CookieChange): boolean {
  const { domain: its, partitionKey } = change.kind === "set" ? change.cookie : change;
  return partitionKey === null && (its === domain || its.endsWith(`.${domain}`));
}
