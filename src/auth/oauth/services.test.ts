import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../../test/support/test-vault.ts";
import { described, endpointUrl, oauthService } from "./service-lookup.ts";
import { services } from "./services.ts";

const nothing = { service: null, authUrl: null, tokenUrl: null, deviceUrl: null, authParams: {} };

test("Every named service has a name of its own and addresses that need TLS", () => {
  assert.equal(new Set(services.map(({ name }) => name)).size, services.length);
  for (const service of services) {
    const { authUrl, tokenUrl, refreshUrl, deviceUrl, whoIs, helpUrl } = service;
    for (const url of [authUrl, tokenUrl, refreshUrl, deviceUrl, whoIs?.url, helpUrl])
      if (url !== null && url !== undefined) assert.equal(endpointUrl(url).protocol, "https:", service.name!);
    assert.ok(service.identifier.every((paths) => paths.length > 0));
    assert.equal(described(tokenUrl), service);
  }
});

test("A named service keeps its addresses, and takes further parameters", () => {
  const google = oauthService({ ...nothing, service: "google", authParams: { hd: "example.org" } });
  assert.deepEqual(google.authParams, {
    access_type: "offline",
    prompt: "consent",
    include_granted_scopes: "true",
    hd: "example.org",
  });
  for (const bent of ["authUrl", "tokenUrl", "deviceUrl"])
    assert.throws(
      () => oauthService({ ...nothing, service: "google", [bent]: "https://evil.example/token" }),
      coded("BAD_INPUT"),
    );
  assert.equal(
    oauthService({
      ...nothing,
      service: "github",
      tokenUrl: described("https://github.com/login/oauth/access_token").tokenUrl,
    }).name,
    "github",
  );
});

test("A service known by its token address keeps its other addresses, to which its client secret goes", () => {
  for (const { tokenUrl, name, authUrl, deviceUrl } of services) {
    for (const bent of ["authUrl", "deviceUrl"])
      assert.throws(
        () => oauthService({ ...nothing, tokenUrl, [bent]: "https://evil.example/device" }),
        coded("BAD_INPUT"),
        `${name} ${bent}`,
      );
    const whole = oauthService({
      ...nothing,
      tokenUrl,
      authUrl,
      deviceUrl,
      authParams: { hd: "example.org" },
    });
    assert.deepEqual([whole.name, whole.deviceUrl], [name, deviceUrl]);
  }
});

test("A service nobody knows gets the client of no other, and shows its own to no other domain", () => {
  const script = oauthService({ ...nothing, tokenUrl: "https://script.google.com/macros/s/evil/exec" });
  assert.ok(services.every(({ domain }) => domain !== script.domain));
  const tokenUrl = "https://auth.exa.ai/token";
  assert.throws(
    () => oauthService({ ...nothing, tokenUrl, deviceUrl: "https://evil.example/device" }),
    coded("BAD_INPUT"),
  );
  assert.ok(oauthService({ ...nothing, tokenUrl, deviceUrl: "https://login.exa.ai/device" }).deviceUrl);
});

test("A service nobody knows is refused with those that are known, and so is one without TLS", () => {
  assert.throws(
    () => oauthService({ ...nothing, service: "gogle" }),
    (error: Error & { hint?: string }) => coded("BAD_INPUT")(error) && /google/.test(error.hint ?? ""),
  );
  assert.throws(() => oauthService(nothing), coded("BAD_INPUT"));
  for (const tokenUrl of [
    "http://exa.ai/token",
    "ftp://exa.ai/",
    "nonsense",
    "http://127.0.0.1.evil.example/",
  ])
    assert.throws(() => oauthService({ ...nothing, tokenUrl }), coded("BAD_INPUT"), tokenUrl);
  assert.equal(oauthService({ ...nothing, tokenUrl: "http://127.0.0.1:8080/token" }).domain, "127.0.0.1");
  assert.equal(oauthService({ ...nothing, tokenUrl: "https://auth.exa.ai/token" }).domain, "exa.ai");
});
