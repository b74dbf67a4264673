import assert from "node:assert/strict";
import type { Service } from "./service.ts";

const hit = {
  objectID: "8863",
  title: "My YC app: Dropbox",
  url: "http://www.getdropbox.com/u/2/screencast.html",
  author: "dhouston",
  points: 104,
  num_comments: 71,
  created_at: "2007-04-04T19:16:40.000Z",
  story_text: null,
  _tags: ["story", "author_dhouston", "story_8863"],
};
const item = {
  id: 8863,
  type: "story",
  author: "dhouston",
  title: "My YC app: Dropbox",
  url: hit.url,
  text: null,
  points: 104,
  created_at: hit.created_at,
  children: [
    {
      id: 9224,
      type: "comment",
      author: "brandon",
      text: "It&#x27;s <i>neat</i>.<p>Second paragraph &amp; more.",
      created_at: "2007-04-05T15:16:54.000Z",
      children: [
        {
          id: 9272,
          type: "comment",
          author: "dhouston",
          text: "Thanks",
          created_at: "2007-04-05T18:00:00.000Z",
          children: [],
        },
      ],
    },
    {
      id: 9300,
      type: "comment",
      author: null,
      text: null,
      created_at: "2007-04-05T18:00:00.000Z",
      children: [],
    },
  ],
};

export const hackernews: Service = {
  skill: "hackernews",
  hosts: ["hn.algolia.com"],
  answer({ path, query }) {
    if (path === "/api/v1/search")
      return {
        body: { hits: query.get("tags") === "front_page" || query.get("query") === "dropbox" ? [hit] : [] },
      };
    if (path === "/api/v1/search_by_date")
      return { body: { hits: [{ ...hit, title: null, story_title: "Newest" }] } };
    if (path === "/api/v1/items/8863") return { body: item };
    if (path === "/api/v1/users/pg") return { body: { username: "pg", about: "Bug fixer.", karma: 157316 } };
    return undefined;
  },
  runs: [
    {
      tool: "list_stories",
      check: (data) => {
        assert.equal(data[0].url, "https://news.ycombinator.com/item?id=8863");
        assert.equal(data[0].score, 104);
      },
      entity: ["post", "My YC app: Dropbox"],
    },
    { tool: "list_stories", params: { feed: "new" }, check: (data) => assert.equal(data[0].name, "Newest") },
    { tool: "search", params: { query: "dropbox" }, check: (data) => assert.equal(data.length, 1) },
    {
      tool: "get_story",
      params: { id: "8863" },
      check: (data) => {
        assert.equal(data.comment_count, 3);
        assert.match(data.content, /\*\*brandon\*\*: It's neat\.\n\nSecond paragraph & more\./);
        assert.match(data.content, /> \*\*dhouston\*\*: Thanks/);
      },
    },
    {
      tool: "read_page",
      params: { url: "https://news.ycombinator.com/item?id=8863" },
      check: (data) => assert.match(data.content, /^# My YC app: Dropbox/),
      entity: ["webpage", "My YC app: Dropbox"],
    },
    { tool: "get_user", params: { name: "pg" }, check: (data) => assert.equal(data.bio, "Bug fixer.") },
  ],
};
