/** A session whose cookie is another after every answer: the one before is refused. */
import assert from "node:assert/strict";
import type { Service } from "./service.ts";

let turn = 1;
const session = () => `canary-reddit-${turn}-55de`;
const permalink = "/r/selfhosted/comments/1abcde/what_do_you_run/";
const post = {
  name: "t3_1abcde",
  title: "What do you run?",
  selftext: "I run **nothing**",
  is_self: true,
  url: `https://www.reddit.com${permalink}`,
  permalink,
  author: "ann",
  subreddit: "selfhosted",
  score: 42,
  num_comments: 2,
  created_utc: 1763107200,
  thumbnail: "self",
};
const comment = (name: string, body: string, replies: unknown) => ({
  kind: "t1",
  data: {
    name,
    body,
    author: "bo",
    score: 3,
    permalink: `${permalink}${name}`,
    created_utc: 1763107300,
    replies,
  },
});
const listing = (...children: unknown[]) => ({ kind: "Listing", data: { children } });
const thread = [
  listing({ kind: "t3", data: post }),
  listing(comment("t1_a", "Everything\nalways", listing(comment("t1_b", "Really?", ""))), {
    kind: "more",
    data: {},
  }),
];

export const reddit: Service = {
  skill: "reddit",
  hosts: ["www.reddit.com"],
  login: {
    domain: "reddit.com",
    account: "joe",
    type: "cookies",
    value: {
      cookies: [
        { name: "reddit_session", value: session(), domain: "reddit.com", secure: true, httpOnly: true },
      ],
    },
  },
  answer({ path, headers, query }) {
    if (!(headers.cookie ?? "").includes(`reddit_session=${session()}`))
      return { status: 403, body: { error: 403 } };
    turn += 1;
    const answered = (body: unknown) => ({
      headers: { "set-cookie": `reddit_session=${session()}; Domain=reddit.com; Path=/; Secure; HttpOnly` },
      body,
    });
    switch (path) {
      case "/api/me.json":
        return answered({ kind: "t2", data: { name: "joe" } });
      case "/r/programming/hot.json":
      case "/r/programming.json":
        return answered(listing({ kind: "t3", data: post }));
      case "/r/selfhosted/top.json":
        assert.equal(query.get("t"), "week");
        return answered(listing({ kind: "t3", data: post }));
      case "/search.json":
      case "/user/joe/saved.json":
        return answered(
          listing({ kind: "t3", data: { ...post, is_self: false, url: "https://example.org/x" } }),
        );
      case "/comments/1abcde.json":
      case `${permalink.slice(0, -1)}.json`:
        return answered(thread);
      case "/user/spez/about.json":
        return answered({
          kind: "t2",
          data: { id: "1w72", name: "spez", created_utc: 1118030400, subreddit: { title: "spez" } },
        });
      default:
        return undefined;
    }
  },
  // Every run is one after a rotation.
  rotate: () => undefined,
  runs: [
    {
      tool: "list_posts",
      params: { community: "r/selfhosted", sort: "top", time: "week" },
      check: ([one]) => {
        assert.deepEqual([one.score, one.published], [42, "2025-11-14T08:00:00Z"]);
        assert.equal(one.published_in.community.name, "r/selfhosted");
      },
      entity: ["post", "What do you run?"],
    },
    {
      tool: "search",
      params: { query: "run" },
      check: ([one]) => assert.equal(one.links_to.webpage.url, "https://example.org/x"),
    },
    {
      tool: "get_post",
      params: { id: "t3_1abcde" },
      check: (data) => {
        assert.match(data.content, /\*\*bo\*\* \(3\): Everything\nalways\n\n> \*\*bo\*\* \(3\): Really\?/);
        assert.equal(data.replies["post[]"].length, 1);
      },
    },
    {
      tool: "read_page",
      params: { url: `https://www.reddit.com${permalink}?utm=1` },
      check: (data) => assert.match(data.content, /^# What do you run\?/),
    },
    { tool: "get_user", params: { name: "spez" }, check: (data) => assert.equal(data.handle, "spez") },
    { tool: "list_saved", check: (data) => assert.equal(data.length, 1) },
  ],
};
