import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { TestVault } from "../../test/support/test-vault.ts";
import { type Cookie, type CookieChange, cookieKey, parseCookie } from "../cookies/index.ts";
import { type CookieLogin, isGuessOf, mergeChanges } from "./cookie-login.ts";
import { createLoginStore } from "./login-store.ts";

const clock = { now: () => 1000 };
const joe = { domain: "exa.ai", identifier: "joe" };
const set = (name: string, value: string, at: number): CookieChange => ({
  kind: "set",
  cookie: parseCookie({ name, value, domain: "exa.ai", created: at, updated: at }),
});

test("Two processes that take back different cookies lose neither", () => {
  using vault = new TestVault();
  const stores = [vault.open(), vault.open()].map((opened) => createLoginStore({ vault: opened, clock }));
  for (let i = 0; i < 20; i++) {
    stores[i % 2]!.merge(joe, [set(`cookie-${i}`, "canary", i + 1)], "service");
  }
  assert.equal(stores[0]!.find(joe)?.cookies.length, 20);
});

test("A row that became newer meanwhile is not replaced by an older login", () => {
  using vault = new TestVault();
  const store = createLoginStore({ vault: vault.open(), clock });
  store.merge(joe, [set("session", "rotated", 900)], "service");
  const older = {
    cookies: [parseCookie({ name: "session", value: "old", domain: "exa.ai", created: 5, updated: 5 })],
    gone: [],
  };
  assert.equal(store.replace(joe, older, "browser").cookies[0]?.value, "rotated");
});

test("A cookie the service sets takes the place of one a person typed in, and of no other", () => {
  const typed = parseCookie({ name: "sid", value: "typed", domain: "exa.ai", created: 1, updated: 1 });
  const read = parseCookie({ ...typed, name: "other", sourceScheme: "secure", sourcePort: 443 });
  const real = (name: string) =>
    parseCookie({
      name,
      value: "real",
      domain: "www.exa.ai",
      hostOnly: true,
      secure: true,
      created: 5,
      updated: 5,
    });
  const merged = mergeChanges({ cookies: [typed, read], gone: [] }, [
    { kind: "set", cookie: real("sid") },
    { kind: "set", cookie: real("other") },
  ]);
  assert.deepEqual(
    merged.cookies.map(({ name, value }) => `${name}=${value}`),
    ["other=typed", "sid=real", "other=real"],
  );
});

test("mergeChanges gives the same login whatever the order facts of different times arrive in", () => {
  const name = fc.constantFrom("a", "b", "c");
  const change = fc.record({ name, deleted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (list, random) => {
      const facts = list.map((one, i): CookieChange => {
        const fact = set(one.name, `v${i}`, i + 1);
        if (!one.deleted || fact.kind !== "set") return fact;
        const { name, domain, hostOnly, path, partitionKey } = fact.cookie;
        return { kind: "delete", name, domain, hostOnly, path, partitionKey, at: i + 1 };
      });
      const shuffled = facts
        .map((fact) => ({ fact, at: random.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ fact }) => fact);
      const merge = (changes: CookieChange[]) => mergeChanges({ cookies: [], gone: [] }, changes);
      const shown = ({ cookies, gone }: ReturnType<typeof merge>) => [
        cookies.map((one) => `${one.name}=${one.value}`).sort(),
        gone.map((one) => `${cookieKey(one)}@${one.at}`).sort(),
      ];
      assert.deepEqual(shown(merge(shuffled)), shown(merge(facts)));
    }),
  );
});

test("Many logins are merged in one write, and one that another process changes meanwhile loses nothing", () => {
  using vault = new TestVault();
  const [ours, theirs] = [vault.open(), vault.open()];
  const [store, other] = [ours, theirs].map((opened) => createLoginStore({ vault: opened, clock }));
  const you = { domain: "exa.ai", identifier: "you" };
  store!.merge(joe, [set("old", "canary", 1)], "service");
  const putAll = ours.putAll.bind(ours);
  const writes: string[][] = [];
  ours.putAll = (rows, options) => {
    if (writes.length === 0) other!.merge(joe, [set("theirs", "canary", 2)], "service");
    const puts = putAll(rows, options);
    writes.push(puts.map(({ kind }) => kind));
    return puts;
  };
  store!.mergeAll(
    [
      { ...joe, changes: [set("ours", "canary", 3)] },
      { ...you, changes: [set("yours", "canary", 3)] },
      { ...joe, changes: [set("later", "canary", 4)] },
    ],
    "peer",
  );
  assert.deepEqual(writes, [["conflict", "stored"], ["stored"]]);
  const names = (who: typeof joe) => other!.find(who)?.cookies.map(({ name }) => name);
  assert.deepEqual(names(joe), ["old", "theirs", "ours", "later"]);
  assert.deepEqual(names(you), ["yours"]);
  assert.deepEqual(store!.find(joe), other!.find(joe));
});

test("mergeChanges takes away the guesses that asking every cookie at every change would", () => {
  const domain = fc.constantFrom("exa.ai", "www.exa.ai", "a.www.exa.ai", "xexa.ai");
  const cookie = fc.record({
    name: fc.constantFrom("a", "b"),
    domain,
    hostOnly: fc.boolean(),
    path: fc.constantFrom("/", "/x"),
    secure: fc.boolean(),
    updated: fc.nat({ max: 5 }),
  });
  const cookies = fc.array(cookie, { maxLength: 8 });
  const merged = (login: CookieLogin, change: CookieChange) => {
    const { cookies } = mergeChanges(login, [change]);
    return cookies.map((one) => `${cookieKey(one)}@${one.updated}`).sort();
  };
  fc.assert(
    fc.property(cookies, cookie, fc.boolean(), (there, one, isSet) => {
      const known = new Map(there.map((each) => [cookieKey(parse(each)), parse(each)]));
      const real = parse(one);
      const { name, hostOnly, path, partitionKey } = real;
      const change: CookieChange = isSet
        ? { kind: "set", cookie: real }
        : { kind: "delete", at: real.updated, name, domain: real.domain, hostOnly, path, partitionKey };
      const before = known.get(cookieKey(real));
      const expected = new Map(known);
      if (before === undefined || before.updated <= real.updated) {
        for (const [key, guess] of known) if (isGuessOf(change, guess)) expected.delete(key);
        expected.delete(cookieKey(real));
        if (isSet) expected.set(cookieKey(real), real);
      }
      assert.deepEqual(
        merged({ cookies: [...known.values()], gone: [] }, change),
        Array.from(expected, ([key, { updated }]) => `${key}@${updated}`).sort(),
      );
    }),
  );
});

function parse(given: { updated: number; [key: string]: unknown }): Cookie {
  return parseCookie({ ...given, value: "canary", created: given.updated });
}
