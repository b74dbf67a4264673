import assert from "node:assert/strict";
import { KeyGuard, refused, type Service } from "./service.ts";

const guard = new KeyGuard("todoist");
const task = {
  id: "6Jf8VQXxpwv56VQ7",
  content: "Water the plants",
  description: "",
  project_id: "6Jf8VQXxpwv56VQ8",
  parent_id: null,
  labels: ["home"],
  priority: 4,
  checked: false,
  child_order: 1,
  added_at: "2026-11-01T08:00:00.000000Z",
  completed_at: null,
  due: { date: "2026-11-20", string: "every friday", is_recurring: true },
};

export const todoist: Service = {
  skill: "todoist",
  hosts: ["api.todoist.com"],
  login: { domain: "todoist.com", account: "ann@example.org", type: "api_key", value: { key: guard.key } },
  rotate: () => guard.rotate(),
  answer({ method, path, query, headers, body }) {
    if (headers.authorization !== `Bearer ${guard.key}`) return refused;
    switch (`${method} ${path}`) {
      case "GET /api/v1/user":
        return { body: { email: "ann@example.org", full_name: "Ann" } };
      case "GET /api/v1/tasks":
        return { body: { results: [task], next_cursor: null } };
      case "GET /api/v1/tasks/filter":
        return { body: { results: query.get("query") === "today" ? [task] : [], next_cursor: null } };
      case `GET /api/v1/tasks/${task.id}`:
        return { body: task };
      case "POST /api/v1/tasks": {
        const given = JSON.parse(body);
        assert.deepEqual(Object.keys(given).sort(), ["content", "due_string", "priority"]);
        return { body: { ...task, id: "new", content: given.content, priority: given.priority, due: null } };
      }
      case `POST /api/v1/tasks/${task.id}`:
        return { body: { ...task, ...JSON.parse(body) } };
      case `POST /api/v1/tasks/${task.id}/close`:
      case `POST /api/v1/tasks/${task.id}/reopen`:
      case `DELETE /api/v1/tasks/${task.id}`:
        return { status: 204 };
      case "GET /api/v1/projects":
        return {
          body: { results: [{ id: task.project_id, name: "Home", color: "green", is_archived: false }] },
        };
      default:
        return undefined;
    }
  },
  runs: [
    {
      tool: "list_tasks",
      check: ([one]) => {
        assert.deepEqual(
          [one.done, one.priority, one.due, one.recurrence],
          [false, 1, "2026-11-20", "every friday"],
        );
        assert.equal(one.project.project.id, task.project_id);
      },
      entity: ["task", "Water the plants"],
    },
    { tool: "find_tasks", params: { filter: "today" }, check: (data) => assert.equal(data.length, 1) },
    { tool: "get_task", params: { id: task.id }, check: (data) => assert.equal(data.name, task.content) },
    {
      tool: "create_task",
      params: { name: "Call Joe", due: "tomorrow", priority: 1 },
      check: (data) => assert.deepEqual([data.name, data.priority], ["Call Joe", 1]),
      entity: ["task", "Call Joe"],
    },
    {
      tool: "update_task",
      params: { id: task.id, description: "All" },
      check: (data) => assert.equal(data.text, "All"),
    },
    {
      tool: "complete_task",
      params: { id: task.id },
      check: (data) => assert.deepEqual(data, { id: task.id, done: true }),
    },
    { tool: "reopen_task", params: { id: task.id }, check: (data) => assert.equal(data.done, false) },
    { tool: "delete_task", params: { id: task.id }, check: (data) => assert.equal(data.deleted, true) },
    {
      tool: "list_projects",
      check: (data) => assert.equal(data[0].name, "Home"),
      entity: ["project", "Home"],
    },
  ],
};
