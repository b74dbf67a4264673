import { confinedPath } from "./confined-path.ts";
import { type Params, refuse, type Rule, type Scope, type Verdict } from "./scope.ts";

const NO_WINDOW = refuse("Browser window not found");

const NOT_GRANTABLE = refuse(
  "Cannot grant the permission: what it opens is not the session's alone (the clipboard, the screen, devices)",
);
/** In the words of the protocol and of the web. Others reach the machine, or what all sessions share. */
const GRANTABLE: ReadonlySet<unknown> = new Set(
  `geolocation notifications sensors durableStorage backgroundSync periodicBackgroundSync paymentHandler
  idleDetection storageAccess topLevelStorageAccess wakeLockScreen clipboardSanitizedWrite protectedMediaIdentifier
  accelerometer gyroscope magnetometer ambient-light-sensor persistent-storage background-sync
  periodic-background-sync payment-handler idle-detection storage-access top-level-storage-access screen-wake-lock
  clipboard-write push`.split(/\s+/),
);

/** Commands of the whole browser, narrowed to one context; all of them go to the client's own browser session. */
export const browserRules: Readonly<Record<string, Rule>> = {
  "Browser.getVersion": (_, scope) => onBrowser({}, scope),
  "Browser.close": () => ({ kind: "leave" }),

  "Browser.grantPermissions": (command, scope) => {
    const { permissions } = command.params;
    const asked = Array.isArray(permissions) ? permissions : [];
    return asked.every((one) => GRANTABLE.has(one)) ? inContext(command, scope) : NOT_GRANTABLE;
  },
  "Browser.setPermission": (command, scope) => {
    const { permission, setting } = command.params;
    const { name, allowWithoutSanitization } = (permission ?? {}) as Params;
    const grantable = GRANTABLE.has(name) && allowWithoutSanitization !== true;
    return setting === "denied" || grantable ? inContext(command, scope) : NOT_GRANTABLE;
  },
  "Browser.resetPermissions": inContext,
  "Browser.cancelDownload": inContext,

  "Browser.setDownloadBehavior": ({ params }, scope) =>
    onBrowser(
      {
        ...confinedDownloads(params, scope),
        eventsEnabled: params["eventsEnabled"] === true,
        browserContextId: scope.contextId,
      },
      scope,
    ),

  "Browser.getWindowForTarget": ({ params, from }, scope) => ({
    kind: "forward",
    params: { targetId: params["targetId"] ?? from.targetId },
    session: scope.browserSession,
    shape(result) {
      if (typeof result["windowId"] === "number") scope.windows.add(result["windowId"]);
      return result;
    },
  }),
  "Browser.getWindowBounds": onWindow,
  "Browser.setWindowBounds": onWindow,
  "Browser.setContentsSize": onWindow,

  // It would name the default context, and on a page the browser's own folder.
  "Page.setDownloadBehavior": ({ params }, scope) => ({
    kind: "forward",
    method: "Browser.setDownloadBehavior",
    params: { ...confinedDownloads(params, scope), browserContextId: scope.contextId },
    session: scope.browserSession,
  }),
};

/** Into the session's folder whatever was asked for: a client on the other side of a jail names folders of its own. */
function confinedDownloads({ behavior, downloadPath }: Params, { folder }: Scope): Params {
  if (behavior === "deny") return { behavior };
  const path = typeof downloadPath === "string" ? confinedPath(folder, downloadPath) : undefined;
  return { behavior: behavior === "allowAndName" ? behavior : "allow", downloadPath: path ?? folder };
}

function inContext({ params }: { params: Params }, scope: Scope): Verdict {
  return onBrowser({ ...params, browserContextId: scope.contextId }, scope);
}

function onWindow({ params }: { params: Params }, scope: Scope): Verdict {
  const { windowId } = params;
  return typeof windowId === "number" && scope.windows.has(windowId) ? onBrowser(params, scope) : NO_WINDOW;
}

function onBrowser(params: Params, scope: Scope): Verdict {
  return { kind: "forward", params, session: scope.browserSession };
}
