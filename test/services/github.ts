import assert from "node:assert/strict";
import { KeyGuard, refused, type Service } from "./service.ts";

const guard = new KeyGuard("github");
const user = { login: "octo", html_url: "https://github.com/octo" };
const repository = {
  full_name: "octo/hello",
  description: "A first repository",
  html_url: "https://github.com/octo/hello",
  owner: user,
  created_at: "2020-01-26T19:01:12Z",
  pushed_at: "2026-01-26T19:06:43Z",
  default_branch: "main",
  language: "TypeScript",
  stargazers_count: 80,
  forks_count: 9,
  open_issues_count: 1,
  visibility: "public",
  archived: false,
  license: { spdx_id: "MIT" },
  clone_url: "https://github.com/octo/hello.git",
  topics: ["demo"],
};
const issue = {
  html_url: "https://github.com/octo/hello/issues/7",
  number: 7,
  title: "It breaks",
  body: "On Mondays",
  state: "open",
  user,
  assignee: null,
  labels: [{ name: "bug", color: "f29513" }],
  comments: 1,
  created_at: "2026-04-22T13:33:48Z",
  closed_at: null,
};
const pull = {
  ...issue,
  html_url: "https://github.com/octo/hello/pull/8",
  number: 8,
  title: "Mend it",
  draft: false,
  merged_at: null,
  base: { ref: "main" },
  head: { ref: "mend" },
  additions: 3,
  deletions: 1,
};
const readme = {
  path: "README.md",
  name: "README.md",
  html_url: "https://github.com/octo/hello/blob/main/README.md",
  size: 8,
  encoding: "base64",
  content: "IyBIZWxs\nbwo=\n",
};

export const github: Service = {
  skill: "github",
  hosts: ["api.github.com"],
  login: { domain: "github.com", account: "octo", type: "api_key", value: { key: guard.key } },
  rotate: () => guard.rotate(),
  answer({ method, path: asked, query, headers, body }) {
    if (headers.authorization !== `Bearer ${guard.key}`) return refused;
    // The skill's own tests ask for things that are really there.
    const path = asked
      .replace(/^\/users\/nodejs/, "/users/octo")
      .replace(/^\/repos\/nodejs\/node/, "/repos/octo/hello")
      .replace(/\/issues\/1(?=\/|$)/, "/issues/7");
    switch (`${method} ${path}`) {
      case "GET /user":
        return { body: { login: "octo", name: "Octo" } };
      case "GET /user/repos":
      case "GET /users/octo/repos":
        return { body: [repository] };
      case "GET /repos/octo/hello":
        return { body: repository };
      case "GET /search/repositories":
        return { body: { total_count: 1, items: [repository] } };
      case "GET /search/issues":
        return { body: { total_count: 1, items: [issue] } };
      case "GET /repos/octo/hello/issues":
        assert.equal(query.get("state"), "open");
        return { body: [issue, { ...pull, pull_request: { merged_at: null } }] };
      case "GET /repos/octo/hello/issues/7":
        return { body: issue };
      case "GET /repos/octo/hello/issues/7/comments":
        return { body: [{ user: { login: "ann" }, created_at: issue.created_at, body: "Tuesdays too" }] };
      case "POST /repos/octo/hello/issues":
        return { status: 201, body: { ...issue, ...JSON.parse(body), labels: [], number: 9 } };
      case "POST /repos/octo/hello/issues/7/comments":
        return {
          status: 201,
          body: {
            html_url: `${issue.html_url}#c1`,
            body: JSON.parse(body).body,
            user,
            created_at: issue.created_at,
          },
        };
      case "GET /repos/octo/hello/pulls":
        return { body: [pull] };
      case "GET /repos/octo/hello/pulls/8":
        return headers.accept === "application/vnd.github.diff"
          ? { headers: { "content-type": "application/vnd.github.diff" }, body: "diff --git a/x b/x\n" }
          : { body: pull };
      case "GET /repos/octo/hello/commits":
        return {
          body: [
            {
              sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
              html_url: "https://github.com/octo/hello/commit/6dcb09b",
              commit: {
                message: "Fix all the bugs\n\nReally",
                author: { name: "Octo", date: "2026-04-14T16:00:49Z" },
                committer: { name: "Octo", date: "2026-04-14T16:00:49Z" },
              },
              author: user,
            },
          ],
        };
      case "GET /repos/octo/hello/releases":
        return {
          body: [
            {
              html_url: "https://github.com/octo/hello/releases/v1",
              tag_name: "v1.0.0",
              name: "One",
              body: "First",
              author: user,
              published_at: "2026-02-27T19:35:32Z",
              prerelease: false,
              assets: [{ download_count: 40 }, { download_count: 2 }],
            },
          ],
        };
      case "GET /repos/octo/hello/contents/docs/READ%20ME.md":
      case "GET /repos/octo/hello/contents/README.md":
      case "GET /repos/octo/hello/readme":
        return { body: readme };
      case "GET /notifications":
        return {
          body: [
            {
              id: "1",
              unread: true,
              reason: "mention",
              updated_at: "2026-11-07T22:01:45Z",
              subject: {
                title: "Look here",
                type: "PullRequest",
                url: "https://api.github.com/repos/octo/hello/pulls/8",
              },
              repository: { full_name: "octo/hello" },
            },
          ],
        };
      default:
        return undefined;
    }
  },
  runs: [
    {
      tool: "list_repositories",
      check: ([one]) => assert.deepEqual([one.name, one.stars, one.license], ["octo/hello", 80, "MIT"]),
      entity: ["repository", "octo/hello"],
    },
    { tool: "list_repositories", params: { of: "octo" }, check: (data) => assert.equal(data.length, 1) },
    {
      tool: "get_repository",
      params: { repository: "octo/hello" },
      check: (data) => assert.equal(data.owned_by.account.handle, "octo"),
    },
    {
      tool: "search_repositories",
      params: { query: "hello" },
      check: (data) => assert.equal(data.length, 1),
    },
    { tool: "search_issues", params: { query: "breaks" }, check: (data) => assert.equal(data[0].number, 7) },
    {
      tool: "list_issues",
      params: { repository: "octo/hello" },
      check: (data) => {
        assert.equal(data.length, 1, "pull requests are left out");
        assert.deepEqual([data[0].done, data[0].state], [false, "open"]);
      },
      entity: ["issue", "It breaks"],
    },
    {
      tool: "get_issue",
      params: { repository: "octo/hello", number: 7 },
      check: (data) => assert.match(data.content, /On Mondays\n\n\*\*ann\*\*.*Tuesdays too/),
    },
    {
      tool: "create_issue",
      params: { repository: "octo/hello", title: "Another" },
      check: (data) => assert.equal(data.name, "Another"),
    },
    {
      tool: "add_comment",
      params: { repository: "octo/hello", number: 7, text: "Hm" },
      check: (data) => assert.equal(data.text, "Hm"),
    },
    {
      tool: "list_pull_requests",
      params: { repository: "octo/hello" },
      check: ([one]) => assert.deepEqual([one.base_branch, one.draft], ["main", false]),
      entity: ["pull_request", "Mend it"],
    },
    {
      tool: "get_pull_request",
      params: { repository: "octo/hello", number: 8 },
      check: (data) => assert.equal(data.additions, 3),
    },
    {
      tool: "get_diff",
      params: { repository: "octo/hello", number: 8 },
      check: (data) => assert.match(data, /^diff --git/),
    },
    {
      tool: "list_commits",
      params: { repository: "octo/hello" },
      check: ([one]) => assert.equal(one.name, "Fix all the bugs"),
      entity: ["commit", "Fix all the bugs"],
    },
    {
      tool: "list_releases",
      params: { repository: "octo/hello" },
      check: ([one]) => assert.deepEqual([one.version, one.download_count], ["v1.0.0", 42]),
    },
    {
      tool: "read_file",
      params: { repository: "octo/hello", path: "docs/READ ME.md" },
      check: (data) => assert.equal(data.content, "# Hello\n"),
    },
    {
      tool: "read_page",
      params: { url: "https://github.com/octo/hello/blob/main/README.md" },
      check: (data) => assert.equal(data.content, "# Hello\n"),
      entity: ["webpage", "README.md"],
    },
    {
      tool: "read_page",
      params: { url: "https://github.com/octo/hello/issues/7" },
      check: (data) => assert.equal(data.name, "It breaks"),
    },
    {
      tool: "list_notifications",
      check: ([one]) =>
        assert.deepEqual([one.url, one.read], ["https://github.com/octo/hello/pull/8", false]),
    },
  ],
};
