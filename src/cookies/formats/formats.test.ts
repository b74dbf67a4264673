import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { arbitraryCookie } from "../../../test/support/arbitrary-cookie.ts";
import { DeputyError } from "../../kernel/index.ts";
import {
  type Cookie,
  cookiesFromCdp,
  cookiesFromHeader,
  cookiesFromJson,
  cookiesFromNetscape,
  cookiesFromStorageState,
  cookiesToCdp,
  cookiesToHeader,
  cookiesToJson,
  cookiesToNetscape,
  cookiesToStorageState,
  type Loss,
  parseCookie,
} from "../index.ts";

const NOW = Date.UTC(2026, 10, 1);

/** Cookies into a format and out again. */
type RoundTrip = (cookies: Cookie[]) => { back: Cookie[]; lost: Loss[] };

const FORMATS: Record<string, RoundTrip> = {
  "JSON records": (cookies) => ({ back: cookiesFromJson(cookiesToJson(cookies), { now: 0 }), lost: [] }),
  Netscape: (cookies) => {
    const { text, lost } = cookiesToNetscape(cookies);
    return { back: cookiesFromNetscape(text, { now: 0 }).cookies, lost };
  },
  "storage state": (cookies) => {
    const { text, lost } = cookiesToStorageState(cookies, { now: NOW });
    return { back: cookiesFromStorageState(text, { now: 0 }).cookies, lost };
  },
  CDP: (cookies) => {
    const { cookies: params, lost } = cookiesToCdp(cookies, { now: NOW });
    return { back: cookiesFromCdp(JSON.parse(JSON.stringify(params)), { now: 0 }), lost };
  },
  "Cookie header": (cookies) => {
    const { text, lost } = cookiesToHeader(cookies);
    return { back: cookiesFromHeader(text, { domain: "example.com", now: 0 }), lost };
  },
};

/** A report tells by these which cookie it is about. */
const distinct = fc.uniqueArray(arbitraryCookie, {
  maxLength: 4,
  selector: ({ name, domain, path }) => `${name} ${domain} ${path}`,
});

for (const [format, roundTrip] of Object.entries(FORMATS)) {
  test(`${format} carries every field of every cookie, or reports it as lost`, () => {
    fc.assert(
      fc.property(distinct, (cookies) => {
        const { back, lost } = roundTrip(cookies);
        const left = cookies.filter((cookie) => !reported(lost, cookie).has("cookie"));
        assert.equal(back.length, left.length);
        for (const [at, cookie] of left.entries()) assertCarried(cookie, back[at]!, reported(lost, cookie));
      }),
    );
  });
}

test("no report of losses contains a value", () => {
  const cookie = parseCookie({ name: "a", value: "canary", domain: "x.com", sameSite: "none" });
  const cookies = [cookie, { ...cookie, value: "canary\t;" }];
  for (const write of [cookiesToNetscape, cookiesToStorageState, cookiesToCdp, cookiesToHeader]) {
    const { lost } = write(cookies);
    assert.ok(
      lost.some(({ field }) => field === "cookie"),
      write.name,
    );
    assert.doesNotMatch(JSON.stringify(lost), /canary/, write.name);
  }
});

function reported(lost: Loss[], { name, domain, path }: Cookie): Set<string> {
  const about = lost.filter((loss) => loss.name === name && loss.domain === domain && loss.path === path);
  return new Set(about.map(({ field }) => field));
}

function assertCarried(before: Cookie, after: Cookie, lost: Set<string>): void {
  for (const field of Object.keys(before) as (keyof Cookie)[]) {
    if (lost.has(field) || field === "domain") continue;
    const [was, is] = [before[field], after[field]];
    // cookies.txt counts whole seconds, which its documentation says.
    if (field === "expires" && typeof was === "number" && typeof is === "number" && was - is < 1000) continue;
    assert.deepEqual(is, was, field);
  }
}

test("Netscape is what curl reads and writes", () => {
  const cookies = [
    parseCookie({ name: "a", value: "1", domain: "x.com", secure: true, httpOnly: true, expires: 4e12 }),
    parseCookie({ name: "b", value: "2", domain: "www.x.com", hostOnly: true, path: "/p" }),
  ];
  const { text } = cookiesToNetscape(cookies);
  assert.deepEqual(text.split("\n"), [
    "# Netscape HTTP Cookie File",
    "",
    "#HttpOnly_.x.com\tTRUE\t/\tTRUE\t4000000000\ta\t1",
    "www.x.com\tFALSE\t/p\tFALSE\t0\tb\t2",
    "",
  ]);
});

test("Netscape skips broken lines and says which, and reads a value an editor stripped", () => {
  const text =
    "# a comment\r\nx.com\tTRUE\t/\tFALSE\t0\ta\r\nnot a cookie\r\nx.com\tTRUE\t/\tFALSE\tsoon\tb\t1\r\n" +
    "no host\tTRUE\t/\tFALSE\t0\tb\tcanary\r\nx.com\tTRUE\tno-path\tFALSE\t0\tb\tcanary\r\n";
  const { cookies, skipped } = cookiesFromNetscape(text);
  assert.deepEqual(
    cookies.map(({ name, value }) => [name, value]),
    [["a", ""]],
  );
  assert.deepEqual(
    skipped.map(({ where }) => where),
    ["line 3", "line 4", "line 5", "line 6"],
  );
  assert.doesNotMatch(JSON.stringify(skipped), /canary/);
});

test("Netscape keeps an ended cookie ended", () => {
  const ended = parseCookie({ name: "a", value: "1", domain: "x.com", expires: 0 });
  const [back] = cookiesFromNetscape(cookiesToNetscape([ended]).text).cookies;
  assert.equal(back?.expires, 1000);
});

test("storage state is what Playwright writes, partition included", () => {
  const partitionKey = { topLevelSite: "https://news.com", crossSiteAncestor: true };
  const record = { name: "a", value: "1", domain: "x.com", secure: true, sameSite: "none", partitionKey };
  const { text } = cookiesToStorageState([parseCookie(record)]);
  assert.deepEqual(JSON.parse(text), {
    cookies: [
      {
        name: "a",
        value: "1",
        domain: ".x.com",
        path: "/",
        expires: -1,
        httpOnly: false,
        secure: true,
        sameSite: "None",
        partitionKey: "https://news.com",
        _crHasCrossSiteAncestor: true,
      },
    ],
    origins: [],
  });
});

test("storage state says that it leaves local storage behind", () => {
  const state = { cookies: [], origins: [{ origin: "https://x.com", localStorage: [] }] };
  assert.equal(cookiesFromStorageState(JSON.stringify(state)).skipped.length, 1);
});

test("CDP params leave out the expiry of a session cookie and the dot of a host-only one", () => {
  const [session, domain] = cookiesToCdp(
    [
      parseCookie({ name: "a", value: "1", domain: "www.x.com", hostOnly: true }),
      parseCookie({ name: "b", value: "1", domain: "x.com", expires: NOW + 5500 }, { now: NOW }),
    ],
    { now: NOW },
  ).cookies;
  assert.ok(session !== undefined && !("expires" in session) && session.domain === "www.x.com");
  assert.ok(domain?.expires === (NOW + 5500) / 1000 && domain.domain === ".x.com");
});

test("readers refuse what is not their format without repeating it", () => {
  const readers = [
    () => cookiesFromJson("canary"),
    () => cookiesFromJson('{"canary": 1}'),
    () => cookiesFromJson('[{"name": "a", "value": "canary"}]'),
    () => cookiesFromStorageState("canary"),
    () => cookiesFromStorageState('{"cookies": ["canary"]}'),
    () => cookiesFromCdp("canary"),
    () => cookiesFromCdp([{ value: "canary" }]),
  ];
  for (const read of readers) {
    assert.throws(read, (error) => error instanceof DeputyError && !JSON.stringify(error).includes("canary"));
  }
});
