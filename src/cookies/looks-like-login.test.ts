import assert from "node:assert/strict";
import { test } from "node:test";
import { looksLikeLogin } from "./looks-like-login.ts";

/** As services name them today. */
const LOGINS = [
  "user_session",
  "reddit_session",
  "sessionKey",
  "_session_id2",
  "at-main",
  "li_at",
  "auth_token",
  "__Secure-next-auth.session-token",
  "HSID",
  "xs",
  "sessionid",
  "PHPSESSID",
  "connect.sid",
  "LOGIN_INFO",
  "user",
  "acct",
];
const OTHERS = [
  "_ga",
  "__cf_bm",
  "cf_clearance",
  "__Host-next-auth.csrf-token",
  "XSRF-TOKEN",
  "visitor_token",
  "theme",
  "datr",
  "NID",
  "",
];

test("a cookie kept from scripts with the name of a session looks like a login, tokens against forgery do not", () => {
  for (const name of LOGINS)
    assert.equal(looksLikeLogin({ name, httpOnly: true, partitionKey: null }), true, name);
  for (const name of OTHERS)
    assert.equal(looksLikeLogin({ name, httpOnly: true, partitionKey: null }), false, name);
});

test("what scripts can read, or is set inside of another site, is no login", () => {
  assert.equal(looksLikeLogin({ name: "sessionid", httpOnly: false, partitionKey: null }), false);
  const partitionKey = { topLevelSite: "https://a.test", crossSiteAncestor: true };
  assert.equal(looksLikeLogin({ name: "sessionid", httpOnly: true, partitionKey }), false);
});
