import assert from "node:assert/strict";
import { test } from "node:test";
import type { FoundDomain, GrantRow } from "../../../engine/index.ts";
import { findDomain, planGrants } from "./planned-grants.ts";

const SKILL = { id: "books", name: "Books", pin: "hash", hosts: ["www.books.test"], operation: null };
const BOOKS: FoundDomain = { domain: "books.test", cookies: 2, login: true, profiles: [], skills: [SKILL] };
const SHOP: FoundDomain = { ...BOOKS, domain: "shop.test", skills: [] };

function grant(more: Partial<GrantRow>): GrantRow {
  return {
    id: "grant_1",
    agent: "*",
    skill: "books",
    pin: "hash",
    identity: { domain: "books.test", account: "joe", pending: false },
    operations: null,
    read_only: true,
    expires: null,
    expose: false,
    allow: [],
    hosts: [],
    created_at: "",
    status: "active",
    ...more,
  };
}

function plan(grants: GrantRow[], readOnly: boolean, agent = "*") {
  return planGrants([BOOKS], { agent, readOnly, grants }).map(({ identity, existing }) => {
    return [identity, existing?.id];
  });
}

test("a domain is meant by its name, a host below it or an address, and by nothing that only looks like it", () => {
  for (const given of ["books.test", "WWW.Books.test", ".books.test", "https://a.books.test:8443/x?y"])
    assert.equal(findDomain(given, [SHOP, BOOKS]), BOOKS, given);
  for (const given of ["notbooks.test", "books.test.evil", "test", "", "books.test@evil.test", "a b"])
    assert.throws(() => findDomain(given, [SHOP, BOOKS]), { code: "NOT_FOUND" }, given);
});

test("a skill that uses the login is what is allowed; where there is none, requests, and a browser only for everything", () => {
  const skills = (readOnly: boolean) =>
    planGrants([BOOKS, SHOP], { agent: "*", readOnly, grants: [] }).map(({ skill }) => skill);
  assert.deepEqual(skills(true), ["books", "@curl"]);
  assert.deepEqual(skills(false), ["books", "@curl", "@session"]);
});

test("what is allowed already stays; what allows less is widened for the account it has found", () => {
  assert.deepEqual(plan([], true), [["books.test", undefined]]);
  assert.deepEqual(plan([grant({})], true), [["books.test/joe", "grant_1"]]);
  assert.deepEqual(plan([grant({ read_only: false })], true), [["books.test/joe", "grant_1"]]);
  assert.deepEqual(plan([grant({})], false), [["books.test/joe", undefined]]);
  assert.deepEqual(plan([grant({})], true, "claude-code"), [["books.test", "grant_1"]], "* covers everybody");
  assert.deepEqual(plan([grant({ agent: "claude-code" })], true), [["books.test", undefined]]);
  assert.deepEqual(plan([grant({ operations: ["list"] })], true), [["books.test", undefined]]);
});
