/** The contract of surfaces, for each form of file. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NOW, testSurface } from "../../test/contracts/surface.ts";
import { adapterHome, findAdapter } from "../../test/support/adapter-home.ts";
import { type Cookie, cookiesFromNetscape, cookiesFromStorageState } from "../cookies/index.ts";
import { parseAdapter } from "./adapter.ts";
import { type Adapter, createSessionFilesSurface } from "./index.ts";

const clock = { now: () => NOW };

/** The fields a format keeps: of what was given, and of what is read back. */
function keeping(...fields: readonly (keyof Cookie)[]) {
  return (cookie: Cookie) => Object.fromEntries(fields.map((field) => [field, cookie[field]]));
}
const inText = keeping("name", "value", "domain", "hostOnly", "path", "expires", "secure", "httpOnly");
const inState = keeping("name", "value", "domain", "hostOnly", "path", "expires", "sameSite", "partitionKey");

testSurface({
  name: "cookies.txt",
  // Whole seconds, as the format has them.
  kept: (cookie) => ({
    ...inText(cookie),
    expires: cookie.expires === null ? null : Math.floor(cookie.expires / 1000) * 1000,
  }),
  async make() {
    const folder = adapterHome();
    const file = join(folder.places.surfaces, "cookies.txt");
    return {
      surface: createSessionFilesSurface({
        adapter: findAdapter("cookies-txt"),
        places: folder.places,
        clock,
      }),
      read: async () =>
        cookiesFromNetscape(existsSync(file) ? readFileSync(file, "utf8") : "").cookies.map(inText),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

testSurface({
  name: "storage state",
  kept: inState,
  async make() {
    const folder = adapterHome();
    const file = join(folder.places.surfaces, "storage-state.json");
    return {
      surface: createSessionFilesSurface({
        adapter: findAdapter("storage-state"),
        places: folder.places,
        clock,
      }),
      read: async () =>
        cookiesFromStorageState(existsSync(file) ? readFileSync(file, "utf8") : '{"cookies":[]}').cookies.map(
          inState,
        ),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

/** An adapter for everybody, so that the suite's cookies meet the format and no host pattern. */
function anyHost(write: string): Adapter {
  return parseAdapter(`{id: any, name: any, hosts: ["*"], writes: [${write}]}`, "test");
}

testSurface({
  name: "session.json",
  kept: keeping("name", "value", "domain", "hostOnly", "path", "expires"),
  async make() {
    const folder = adapterHome();
    const adapter = anyHost('{format: session-json, path: ~/session.json, networks: {all: ["*"]}}');
    const file = join(folder.path, "session.json");
    return {
      surface: createSessionFilesSurface({ adapter, places: folder.places, clock }),
      read: async () =>
        (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).all : []).map(
          (one: { name: string; value: string; domain: string; path: string; expires: string }) => ({
            name: one.name,
            value: one.value,
            domain: one.domain.replace(/^\./, ""),
            hostOnly: !one.domain.startsWith("."),
            path: one.path,
            expires: one.expires.startsWith("2099-12-31") ? null : Date.parse(one.expires),
          }),
        ),
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  },
});

for (const [format, headerIn] of [
  ["{format: cookies-json, path: ~/file}", (text: string) => JSON.parse(text).cookies],
  [
    "{format: config-toml, path: ~/file, key: access_token}",
    (text: string) => {
      const written = /^access_token = (.*)$/m.exec(text)?.[1] ?? "''";
      return written.startsWith("'") ? written.slice(1, -1) : JSON.parse(written);
    },
  ],
] as const)
  testSurface({
    name: /format: ([a-z-]+)/.exec(format)?.[1] ?? format,
    keepsOthers: false,
    kept: ({ name, value }) => ({ name, value }),
    async make() {
      const folder = adapterHome();
      const file = join(folder.path, "file");
      return {
        surface: createSessionFilesSurface({ adapter: anyHost(format), places: folder.places, clock }),
        async read() {
          const header: string = existsSync(file) ? headerIn(readFileSync(file, "utf8")) : "";
          return header === ""
            ? []
            : header.split("; ").map((pair) => {
                const at = pair.indexOf("=");
                return { name: pair.slice(0, at), value: pair.slice(at + 1) };
              });
        },
        [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
      };
    },
  });
