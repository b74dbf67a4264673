import { isTargetInfo, passesFilter } from "./own-targets.ts";
import { permittedUrl } from "./permitted-url.ts";
import { type Command, type Params, refuse, type Rule, type Scope, type TargetFilter } from "./scope.ts";

const NOT_FOUND = refuse("No target with given id found");
const NOT_FLAT = refuse("Only flat sessions are served here: give flatten: true");
const PLACE = ["left", "top", "width", "height", "windowState", "newWindow", "background", "forTab", "focus"];

/** Targets of others do not exist here: the answers are those the browser gives for ids nobody has. */
export const targetRules: Readonly<Record<string, Rule>> = {
  "Target.getBrowserContexts": () => ({ kind: "answer", result: { browserContextIds: [] } }),

  "Target.getTargets": ({ params }, scope) => ({
    kind: "forward",
    params: { filter: [{}] },
    session: scope.browserSession,
    shape: ({ targetInfos }) => ({
      targetInfos: (Array.isArray(targetInfos) ? targetInfos : []).filter(
        (info) =>
          isTargetInfo(info) && scope.isOwn(info.targetId) && passesFilter(info, filterOf(params["filter"])),
      ),
    }),
  }),

  "Target.getTargetInfo": (command, scope) => {
    const targetId = command.params["targetId"] ?? command.from.targetId;
    if (targetId === scope.browserTarget.targetId)
      return { kind: "answer", result: { targetInfo: scope.browserTarget } };
    return onBrowser({ targetId }, scope);
  },

  "Target.setDiscoverTargets": ({ params }) => ({
    kind: "discover",
    on: params["discover"] === true,
    filter: filterOf(params["filter"]),
  }),

  "Target.setAutoAttach": ({ params }) =>
    params["autoAttach"] === true && params["flatten"] !== true ? NOT_FLAT : { kind: "forward", params },

  "Target.autoAttachRelated": ({ params }) => ({ kind: "forward", params }),

  "Target.attachToBrowserTarget": () => ({ kind: "attach-browser" }),

  "Target.attachToTarget": ({ params }, scope) => {
    const { targetId, flatten } = params;
    if (flatten !== true) return NOT_FLAT;
    if (targetId === scope.browserTarget.targetId) return { kind: "attach-browser" };
    return { kind: "forward", params: { targetId, flatten } };
  },

  "Target.detachFromTarget": ({ params, from }, scope) => {
    const { sessionId } = params;
    const session = typeof sessionId === "string" ? scope.find(sessionId) : undefined;
    if (session?.parent === null) return { kind: "detach-browser", session };
    if (session?.parent !== from.id) return refuse("No session with given id");
    return { kind: "forward", params: { sessionId } };
  },

  "Target.activateTarget": ({ params }, scope) => onBrowser({ targetId: params["targetId"] }, scope),
  "Target.closeTarget": ({ params }, scope) => onBrowser({ targetId: params["targetId"] }, scope),

  "Target.createTarget": ({ params }, scope) => {
    const url = params["url"] ?? "";
    const permitted = url === "" ? "about:blank" : typeof url === "string" ? permittedUrl(url) : undefined;
    if (permitted === undefined)
      return refuse("Cannot navigate there: only http, https, data and blob addresses");
    const place = Object.entries(params).filter(([name]) => PLACE.includes(name));
    return {
      kind: "forward",
      params: { ...Object.fromEntries(place), url: permitted, browserContextId: scope.contextId },
      session: scope.browserSession,
    };
  },
};

/** Every method that names a target or a context, whatever else is said about it. */
export function namesForeign({ params }: Command, scope: Scope): boolean {
  const { targetId, browserContextId } = params;
  if (browserContextId !== undefined && browserContextId !== scope.contextId) return true;
  if (targetId === undefined || targetId === scope.browserTarget.targetId) return false;
  return typeof targetId !== "string" || !scope.isOwn(targetId);
}

export const FOREIGN = NOT_FOUND;

function onBrowser(params: Params, scope: Scope) {
  return { kind: "forward", params, session: scope.browserSession } as const;
}

function filterOf(value: unknown): readonly TargetFilter[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter((entry): entry is TargetFilter => typeof entry === "object" && entry !== null);
}
