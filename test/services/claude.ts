import assert from "node:assert/strict";
import type { Service } from "./service.ts";

let turn = 1;
const session = () => `canary-sk-ant-sid-${turn}-aa10`;
const cookies = () => ({
  cookies: [{ name: "sessionKey", value: session(), domain: "claude.ai", secure: true, httpOnly: true }],
});
const organization = "0e8f1c2a-0000-4000-8000-000000000001";
const conversation = {
  uuid: "c1",
  name: "Ducks",
  summary: "",
  created_at: "2026-10-01T08:00:00Z",
  updated_at: "2026-10-02T08:00:00Z",
};

export const claude: Service = {
  skill: "claude",
  hosts: ["claude.ai"],
  login: { domain: "claude.ai", account: "ann@example.org", type: "cookies", value: cookies() },
  rotate() {
    turn += 1;
    return cookies();
  },
  answer({ path, headers }) {
    if (!(headers.cookie ?? "").includes(`sessionKey=${session()}`))
      return { status: 401, body: { type: "error" } };
    const base = `/api/organizations/${organization}`;
    switch (path) {
      case "/api/account":
        return { body: { email_address: "ann@example.org", full_name: "Ann" } };
      case "/api/organizations":
        return {
          body: [
            { uuid: "api-only", name: "API", capabilities: ["api"] },
            {
              uuid: organization,
              name: "Ann's",
              capabilities: ["chat"],
              created_at: conversation.created_at,
            },
          ],
        };
      case `${base}/chat_conversations`:
        return { body: [conversation, { ...conversation, uuid: "c2", name: "" }] };
      case `${base}/chat_conversations/c1`:
        return {
          body: {
            ...conversation,
            chat_messages: [
              { uuid: "m1", sender: "human", text: "Do ducks fly?", created_at: conversation.created_at },
              { uuid: "m2", sender: "assistant", text: "", content: [{ type: "text", text: "They do." }] },
            ],
          },
        };
      case `${base}/projects`:
        return {
          body: [{ uuid: "p1", name: "Birds", description: "All", created_at: conversation.created_at }],
        };
      default:
        return undefined;
    }
  },
  runs: [
    {
      tool: "list_organizations",
      check: (data) => assert.equal(data.length, 1),
      entity: ["organization", "Ann's"],
    },
    {
      tool: "list_conversations",
      params: { query: "duck" },
      check: (data) =>
        assert.deepEqual(
          data.map(({ id }: { id: string }) => id),
          ["c1"],
        ),
      entity: ["conversation", "Ducks"],
    },
    {
      tool: "get_conversation",
      params: { id: "c1", organization },
      check: (data) => assert.equal(data.content, "**human**: Do ducks fly?\n\n**assistant**: They do."),
    },
    { tool: "list_projects", check: (data) => assert.equal(data[0].name, "Birds") },
  ],
};
