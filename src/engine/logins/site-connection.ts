import type { Connection } from "../../auth/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { foldDomain } from "../../vault/index.ts";

/** A way to a site no skill describes: as a person's browser would go there. */
export function siteConnection(url: string): Connection {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new DeputyError("BAD_INPUT", "Cannot use the URL: it is not a web address", {
      hint: "Give it whole, such as https://example.com/",
    });
  }
  return {
    skill: "",
    name: "site",
    domain: foldDomain(url),
    baseUrl: new URL(new URL(url).origin),
    mode: "browser",
    auth: { type: "cookies", names: [], check: null, login: [] },
    optional: false,
    hosts: [],
    label: null,
    helpUrl: null,
    description: null,
    vars: {},
    sqlite: null,
  };
}
