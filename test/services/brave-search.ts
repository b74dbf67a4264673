import assert from "node:assert/strict";
import { KeyGuard, refused, type Service } from "./service.ts";

const guard = new KeyGuard("brave");
const result = {
  title: "Confused deputy problem",
  url: "https://en.wikipedia.org/wiki/Confused_deputy_problem",
  description: "A <strong>confused deputy</strong> is a computer program",
  page_age: "2026-01-05T10:00:00",
  profile: { name: "Wikipedia" },
  meta_url: { hostname: "en.wikipedia.org" },
  thumbnail: { src: "https://imgs.search.brave.com/x" },
  language: "en",
};

export const braveSearch: Service = {
  skill: "brave-search",
  hosts: ["api.search.brave.com"],
  login: { domain: "search.brave.com", account: "me", type: "api_key", value: { key: guard.key } },
  rotate: () => guard.rotate(),
  answer({ path, query, headers }) {
    if (headers["x-subscription-token"] !== guard.key) return refused;
    assert.equal(query.get("q") === null, false);
    if (path === "/res/v1/web/search")
      return { body: { web: { results: query.get("freshness") === "pw" ? [] : [result] } } };
    if (path === "/res/v1/news/search" || path === "/res/v1/videos/search")
      return { body: { results: [result] } };
    return undefined;
  },
  runs: [
    {
      tool: "search",
      params: { query: "confused deputy" },
      check: (data) => assert.equal(data[0].text, "A confused deputy is a computer program"),
      entity: ["webpage", "Confused deputy problem"],
    },
    {
      tool: "search",
      params: { query: "x", freshness: "week" },
      check: (data) => assert.deepEqual(data, []),
    },
    {
      tool: "search_news",
      params: { query: "x" },
      check: (data) => assert.equal(data[0].author, "Wikipedia"),
    },
    { tool: "search_videos", params: { query: "x" }, check: (data) => assert.equal(data.length, 1) },
  ],
};
