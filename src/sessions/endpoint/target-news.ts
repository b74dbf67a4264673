import type { CdpConnection } from "../../cdp/index.ts";
import type { ClientSessions } from "./client-sessions.ts";
import { isTargetInfo, type OwnTargets, passesFilter, type TargetInfo } from "./own-targets.ts";
import type { ClientSession, Params, TargetFilter } from "./scope.ts";

interface Parts {
  readonly connection: CdpConnection;
  readonly sessions: ClientSessions;
  readonly targets: OwnTargets;
  readonly tell: (from: ClientSession, method: string, params: object) => void;
}

/** What a client learns about targets coming and going, and which sessions it gets on them. */
export class TargetNews {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  discover(from: ClientSession, on: boolean, filter: readonly TargetFilter[] | null): void {
    const { sessions, targets, tell } = this.#parts;
    sessions.discovering.delete(from.id);
    if (!on) return;
    sessions.discovering.set(from.id, filter);
    for (const info of targets.list())
      if (passesFilter(info, filter)) tell(from, "Target.targetCreated", { targetInfo: info });
  }

  /** `watched`: the session on which Deputy itself looks out for targets. */
  onEvent(from: ClientSession, method: string, params: Params, watched: boolean): void {
    const { targetInfo, sessionId, targetId } = params;
    if (method === "Target.attachedToTarget" && isTargetInfo(targetInfo) && typeof sessionId === "string")
      this.#attached(from, targetInfo, sessionId, params);
    else if (method === "Target.detachedFromTarget" && typeof sessionId === "string")
      this.#detached(from, sessionId, params);
    else if (!watched) return;
    else if (method === "Target.targetCreated" || method === "Target.targetInfoChanged") {
      if (isTargetInfo(targetInfo)) this.#seen(targetInfo);
    } else if (typeof targetId === "string") this.#ended(method, targetId, params);
  }

  #attached(from: ClientSession, info: TargetInfo, sessionId: string, params: Params): void {
    const { connection, sessions, targets, tell } = this.#parts;
    if (targets.covers(info)) {
      sessions.add({ id: sessionId, level: "target", targetId: info.targetId, parent: from.id });
      return tell(from, "Target.attachedToTarget", params);
    }
    // Auto-attach is browser-wide, and stops what starts: others must not notice.
    connection.call("Runtime.runIfWaitingForDebugger", {}, sessionId).catch(() => {});
    connection.call("Target.detachFromTarget", { sessionId }, from.id).catch(() => {});
  }

  #detached(from: ClientSession, sessionId: string, params: Params): void {
    const { sessions, tell } = this.#parts;
    if (sessions.get(sessionId)?.parent !== from.id) return;
    sessions.drop(sessionId);
    tell(from, "Target.detachedFromTarget", params);
  }

  #seen(info: TargetInfo): void {
    const change = this.#parts.targets.note(info);
    if (change === "created") this.#announce("Target.targetCreated", info, { targetInfo: info });
    else if (change === "changed") this.#announce("Target.targetInfoChanged", info, { targetInfo: info });
    else if (change === "gone") this.#withdraw(info);
  }

  #ended(method: string, targetId: string, params: Params): void {
    const { targets } = this.#parts;
    const info = method === "Target.targetDestroyed" ? targets.remove(targetId) : targets.get(targetId);
    if (info !== undefined) this.#announce(method, info, params);
  }

  /** It went where no client may follow. */
  #withdraw(info: TargetInfo): void {
    const { connection, sessions, tell } = this.#parts;
    const { targetId } = info;
    for (const { id, parent } of sessions.ofTarget(targetId)) {
      const above = parent === null ? undefined : sessions.get(parent);
      sessions.drop(id);
      if (above === undefined) continue;
      connection.call("Target.detachFromTarget", { sessionId: id }, above.id).catch(() => {});
      tell(above, "Target.detachedFromTarget", { sessionId: id, targetId });
    }
    this.#announce("Target.targetDestroyed", info, { targetId });
  }

  #announce(method: string, info: TargetInfo, params: object): void {
    const { sessions, tell } = this.#parts;
    for (const [id, filter] of sessions.discovering) {
      const session = sessions.get(id);
      if (session !== undefined && passesFilter(info, filter)) tell(session, method, params);
    }
  }
}
