import assert from "node:assert/strict";
import { KeyGuard, refused, type Service } from "./service.ts";

const guard = new KeyGuard("exa");
const result = {
  title: "A careful comparison",
  url: "https://example.org/wal",
  publishedDate: "2026-03-01T00:00:00.000Z",
  author: "Ann",
  text: "Write-ahead logging",
  image: null,
};

/** The dashboard's login by a code in a mail, as NextAuth does it; the interface by the key that the dashboard has. */
export const exa: Service = {
  skill: "exa",
  hosts: ["api.exa.ai", "dashboard.exa.ai", "auth.exa.ai"],
  login: { domain: "exa.ai", account: "me", type: "api_key", value: { key: guard.key } },
  rotate: () => guard.rotate(),
  answer({ host, method, path, headers, body, query }) {
    const cookie = headers.cookie ?? "";
    const at = `${method} ${host}${path}`;
    const session = "canary-exa-session-a7";
    const user = { email: "ann@example.org", name: "Ann" };
    switch (at) {
      case "POST api.exa.ai/search":
      case "POST api.exa.ai/findSimilar":
      case "POST api.exa.ai/contents":
        return headers["x-api-key"] === guard.key ? { body: { results: [result] } } : refused;
      case "GET auth.exa.ai/api/auth/csrf":
        return {
          headers: {
            "set-cookie":
              "__Host-next-auth.csrf-token=canary-csrf-31|hash; Path=/; Secure; HttpOnly; SameSite=Lax",
          },
          body: { csrfToken: "canary-csrf-31" },
        };
      case "POST auth.exa.ai/api/auth/signin/email": {
        const form = new URLSearchParams(body);
        assert.equal(form.get("email"), user.email);
        const fits =
          form.get("csrfToken") === "canary-csrf-31" && cookie.includes("csrf-token=canary-csrf-31|hash");
        return fits
          ? { body: { url: "https://auth.exa.ai/verify" } }
          : { status: 400, body: { url: "error=csrf" } };
      }
      case "POST auth.exa.ai/api/verify-otp": {
        const { otp, email } = JSON.parse(body);
        return otp === "123456"
          ? { body: { email, hashedOtp: "$2a$10$hash", rawOtp: otp } }
          : { status: 400, body: {} };
      }
      case "GET auth.exa.ai/api/auth/callback/email":
        if (query.get("token") !== "$2a$10$hash:123456")
          return { status: 302, headers: { location: "/error" } };
        return {
          status: 302,
          headers: {
            location: "https://dashboard.exa.ai/",
            "set-cookie": `next-auth.session-token=${session}; Domain=exa.ai; Path=/; Secure; HttpOnly`,
          },
        };
      case "GET dashboard.exa.ai/":
        return { body: "<h1>Dashboard</h1>" };
      case "GET dashboard.exa.ai/api/auth/session":
        return { body: cookie.includes(`next-auth.session-token=${session}`) ? { user } : {} };
      case "GET dashboard.exa.ai/api/get-api-keys":
        return cookie.includes(session)
          ? { body: { apiKeys: [{ id: guard.key, name: "default" }] } }
          : refused;
      default:
        return undefined;
    }
  },
  runs: [
    {
      tool: "search",
      params: { query: "write-ahead logging" },
      check: ([one]) => assert.equal(one.name, "A careful comparison"),
      entity: ["webpage", "A careful comparison"],
    },
    {
      tool: "read_webpage",
      params: { url: result.url },
      check: (data) => assert.equal(data.content, result.text),
    },
    { tool: "find_similar", params: { url: result.url }, check: (data) => assert.equal(data.length, 1) },
  ],
};
