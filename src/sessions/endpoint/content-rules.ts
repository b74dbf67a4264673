import { isRecord } from "../../kernel/index.ts";
import { confinedPath } from "./confined-path.ts";
import { staysOnPage } from "./key-press.ts";
import { permittedUrl } from "./permitted-url.ts";
import { type Params, refuse, type Rule, type Scope, type Verdict } from "./scope.ts";

const NO_COOKIE = refuse(
  "Cannot set the cookie: its value is masked. The session holds the real one already, and uses it by itself",
);

/** What takes an address, a path or a cookie on its way into the session. */
export const contentRules: Readonly<Record<string, Rule>> = {
  "Page.navigate": toUrl,
  "Network.loadNetworkResource": toUrl,

  "Fetch.continueRequest": ({ params }, scope) => {
    // A server answers TRACE with the request's headers, cookies and all (RFC 9110 9.3.8): no page may send it.
    const { method } = params;
    if (typeof method === "string" && /^(trace|track|connect)$/i.test(method))
      return refuse("Cannot change the method to that: no page may send it");
    const headers = Array.isArray(params["headers"]) ? params["headers"] : undefined;
    // A client that hands back the headers it was shown would send the mask: without it the browser sends its cookies.
    const kept = headers?.filter((header) => !isMaskedCookie(header, scope));
    const verdict = params["url"] === undefined ? pass(params) : toUrl({ params });
    if (verdict.kind !== "forward" || kept === undefined) return verdict;
    return pass({ ...verdict.params, headers: kept });
  },

  "DOM.setFileInputFiles": ({ params }, scope) =>
    withFiles(params, params["files"], scope, (files) => ({ files })),
  "Input.dispatchDragEvent": ({ params }, scope) => {
    const data = params["data"];
    if (!isRecord(data) || data["files"] === undefined) return pass(params);
    return withFiles(params, data["files"], scope, (files) => ({ data: { ...data, files } }));
  },

  "Input.dispatchKeyEvent": ({ params }) => {
    if (!staysOnPage(params))
      return refuse(
        "Cannot press the key: the browser itself would act on it. To paste, use Input.insertText",
      );
    // Other codes for the same key, which the browser's own shortcuts could go by.
    const { nativeVirtualKeyCode: _, isSystemKey: __, ...rest } = params;
    return pass(rest);
  },

  "Storage.getCookies": ofContext,
  "Storage.clearCookies": ofContext,
  "Storage.setCookies": (command, scope) =>
    hasMask(command.params, scope) ? NO_COOKIE : ofContext(command, scope),
  "Network.setCookies": ({ params }, scope) => (hasMask(params, scope) ? NO_COOKIE : pass(params)),
  "Network.setCookie": ({ params }, scope) =>
    hasMask({ cookies: [params] }, scope) ? NO_COOKIE : pass(params),
};

function toUrl({ params }: { params: Params }): Verdict {
  const text = String(params["url"]);
  // The browser's own words: clients look for them.
  if (!URL.canParse(text)) return refuse("Cannot navigate to invalid URL");
  const url = permittedUrl(text);
  if (url === undefined) return refuse("Cannot navigate there: only http, https, data and blob addresses");
  return pass({ ...params, url });
}

function withFiles(
  params: Params,
  given: unknown,
  { folder }: Scope,
  place: (files: readonly string[]) => Params,
): Verdict {
  if (!Array.isArray(given)) return refuse("Invalid parameters: files");
  const files: string[] = [];
  for (const path of given) {
    const inside = typeof path === "string" ? confinedPath(folder, path) : undefined;
    if (inside === undefined)
      return refuse(`Cannot use the file: only files in ${folder} can be given to a page`);
    files.push(inside);
  }
  return pass({ ...params, ...place(files) });
}

/** By way of the browser: on a page Chromium takes no context's name and means the default one. */
function ofContext({ params }: { params: Params }, scope: Scope): Verdict {
  return { ...pass({ ...params, browserContextId: scope.contextId }), session: scope.browserSession };
}

function hasMask({ cookies }: Params, scope: Scope): boolean {
  return (
    Array.isArray(cookies) &&
    cookies.some((cookie) => isRecord(cookie) && scope.isMasked(String(cookie["value"])))
  );
}

function isMaskedCookie(header: unknown, scope: Scope): boolean {
  return (
    isRecord(header) && /^cookie$/i.test(String(header["name"])) && scope.isMasked(String(header["value"]))
  );
}

function pass(params: Params): Verdict & { kind: "forward" } {
  return { kind: "forward", params };
}
