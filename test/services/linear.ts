import assert from "node:assert/strict";
import { KeyGuard, refused, type Service } from "./service.ts";

const guard = new KeyGuard("linear");
const issue = {
  id: "0a1b",
  identifier: "ENG-123",
  number: 123,
  title: "Login fails",
  description: "Steps to reproduce",
  url: "https://linear.app/acme/issue/ENG-123",
  priority: 2,
  estimate: 3,
  dueDate: "2026-12-01",
  createdAt: "2026-11-01T10:00:00.000Z",
  completedAt: null,
  canceledAt: null,
  state: { name: "In Progress", type: "started" },
  assignee: { id: "u1", name: "Ann", email: "ann@acme.test" },
  creator: { id: "u2", name: "Joe", email: "joe@acme.test" },
  project: { id: "p1", name: "Sign-in", url: "https://linear.app/acme/project/p1" },
  parent: null,
  labels: { nodes: [{ id: "l1", name: "bug", color: "#f00" }] },
};

export const linear: Service = {
  skill: "linear",
  hosts: ["api.linear.app"],
  login: { domain: "linear.app", account: "ann@acme.test", type: "api_key", value: { key: guard.key } },
  rotate: () => guard.rotate(),
  answer({ path, headers, body }) {
    if (headers.authorization !== guard.key) return refused;
    if (path !== "/graphql") return undefined;
    const { query, variables } = JSON.parse(body) as { query: string; variables: any };
    const answered = (data: unknown) => ({ body: { data } });
    if (query.includes("viewer"))
      return answered({ viewer: { id: "u1", email: "ann@acme.test", name: "Ann" } });
    if (query.includes("issueCreate"))
      return answered({ issueCreate: { success: true, issue: { ...issue, title: variables.input.title } } });
    if (query.includes("commentCreate")) {
      const { body: text } = variables.input;
      return answered({
        commentCreate: {
          success: true,
          comment: {
            id: "c1",
            body: text,
            url: "https://linear.app/c1",
            createdAt: issue.createdAt,
            user: { name: "Ann" },
          },
        },
      });
    }
    if (query.includes("issue(id"))
      return answered({
        issue: {
          ...issue,
          comments: {
            nodes: [{ id: "c", body: "Me too", createdAt: issue.createdAt, user: { name: "Bo" } }],
          },
        },
      });
    if (query.includes("issues(")) {
      const wanted = variables.filter.state?.type?.eq;
      return answered({ issues: { nodes: wanted === undefined || wanted === "started" ? [issue] : [] } });
    }
    if (query.includes("projects("))
      return answered({
        projects: {
          nodes: [
            {
              id: "p1",
              name: "Sign-in",
              description: "",
              url: "https://linear.app/p1",
              state: "started",
              progress: 0.4,
              lead: null,
            },
          ],
        },
      });
    if (query.includes("teams"))
      return answered({ teams: { nodes: [{ id: "t1", key: "ENG", name: "Engineering" }] } });
    return { body: { errors: [{ message: "Cannot query" }] } };
  },
  runs: [
    {
      tool: "list_issues",
      params: { state: "started", assigned_to_me: true },
      check: ([one]) => {
        assert.deepEqual([one.id, one.state, one.done], ["ENG-123", "In Progress", false]);
        assert.equal(one.assigned_to.account.handle, "ann@acme.test");
      },
      entity: ["issue", "Login fails"],
    },
    { tool: "list_issues", params: { state: "completed" }, check: (data) => assert.deepEqual(data, []) },
    { tool: "search_issues", params: { query: "login" }, check: (data) => assert.equal(data.length, 1) },
    {
      tool: "get_issue",
      params: { id: "ENG-123" },
      check: (data) => assert.match(data.content, /\*\*Bo\*\*.*Me too/),
    },
    {
      tool: "create_issue",
      params: { team: "t1", title: "New one" },
      check: (data) => assert.equal(data.name, "New one"),
    },
    {
      tool: "add_comment",
      params: { id: "ENG-123", text: "Hm" },
      check: (data) => assert.equal(data.text, "Hm"),
    },
    {
      tool: "list_projects",
      check: (data) => assert.equal(data[0].progress, 0.4),
      entity: ["project", "Sign-in"],
    },
    { tool: "list_teams", check: (data) => assert.equal(data[0].name, "Engineering (ENG)") },
  ],
};
