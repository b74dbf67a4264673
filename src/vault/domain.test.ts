import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../test/support/test-vault.ts";
import { connectionDomain, foldDomain } from "./domain.ts";

const FOLDED: [input: string, domain: string][] = [
  ["exa.ai", "exa.ai"],
  ["api.exa.ai", "exa.ai"],
  ["dashboard.exa.ai", "exa.ai"],
  [".exa.ai", "exa.ai"],
  ["EXA.AI", "exa.ai"],
  ["exa.ai.", "exa.ai"],
  ["  exa.ai ", "exa.ai"],
  ["https://api.exa.ai", "exa.ai"],
  ["https://api.exa.ai:8443/search?q=1#top", "exa.ai"],
  ["https://user@api.exa.ai./", "exa.ai"],
  ["HTTPS://API.EXA.AI/", "exa.ai"],
  ["wss://api.exa.ai", "exa.ai"],
  // Private suffixes: the neighbour on github.io is a stranger.
  ["me.github.io", "me.github.io"],
  ["www.me.github.io", "me.github.io"],
  ["github.io", "github.io"],
  ["shop.example.co.uk", "example.co.uk"],
  ["co.uk", "co.uk"],
  ["com", "com"],
  // Punycode, and upper case beyond ASCII.
  ["münchen.de", "xn--mnchen-3ya.de"],
  ["MÜNCHEN.DE", "xn--mnchen-3ya.de"],
  ["www.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
  ["https://bücher.example/", "xn--bcher-kva.example"],
  // These stand for themselves.
  ["localhost", "localhost"],
  ["http://localhost:3000/", "localhost"],
  ["exa", "exa"],
  ["my_skill", "my_skill"],
  ["My-Skill", "my-skill"],
  ["127.0.0.1", "127.0.0.1"],
  ["http://192.168.1.10:8080", "192.168.1.10"],
  ["0x7f.1", "127.0.0.1"],
  ["::1", "::1"],
  ["[::1]", "::1"],
  ["http://[2001:DB8:0::1]:443/", "2001:db8::1"],
];

for (const [input, domain] of FOLDED) {
  test(`foldDomain gives ${domain} for ${JSON.stringify(input)}`, () => {
    assert.equal(foldDomain(input), domain);
    assert.equal(foldDomain(domain), domain, "folding again changes nothing");
  });
}

test("foldDomain refuses what is no host, with a code", () => {
  const wrong = [
    "",
    " ",
    ".",
    "..",
    "exa.ai/path",
    "exa ai",
    "a..b",
    "user@exa.ai",
    "exa.ai?x",
    "exa.ai#x",
    "exa.ai\\x",
    "a\0b.com",
    "http://",
    "file:///etc/passwd",
    "exa.ai:443",
    "%65xa.ai/",
    "a".repeat(300),
  ];
  for (const text of wrong) {
    assert.throws(() => foldDomain(text), coded("BAD_INPUT"), JSON.stringify(text));
  }
});

test("connectionDomain takes the domain, else that of auth, else the base URL, else the skill's id", () => {
  const all = {
    domain: "a.one.com",
    authDomain: ".two.com",
    baseUrl: "https://api.three.com/v1",
    skillId: "four",
  };
  assert.equal(connectionDomain(all), "one.com");
  assert.equal(connectionDomain({ ...all, domain: undefined }), "two.com");
  assert.equal(connectionDomain({ ...all, domain: undefined, authDomain: undefined }), "three.com");
  assert.equal(connectionDomain({ skillId: "four" }), "four");
});

test("connectionDomain keeps every connection of a service under one domain", () => {
  const connections = [
    { baseUrl: "https://api.exa.ai", skillId: "exa" },
    { baseUrl: "https://dashboard.exa.ai", authDomain: ".exa.ai", skillId: "exa" },
    { domain: "auth.exa.ai", skillId: "exa" },
  ];
  for (const connection of connections) assert.equal(connectionDomain(connection), "exa.ai");
});
