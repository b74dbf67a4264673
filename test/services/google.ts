/** Google's two interfaces and its token endpoint: one login, renewed by Deputy when it has ended. */
import assert from "node:assert/strict";
import type { Answered, Asked } from "../support/fixture-web.ts";
import type { Service } from "./service.ts";

let turn = 1;
const token = () => `canary-google-access-${turn}-b41c`;
const refresh = "canary-google-refresh-88ac";
const domain = "google.com";
const account = "ann@gmail.test";
const client = {
  domain,
  account: "@client",
  type: "oauth_client",
  value: { client_id: "an-id", client_secret: "canary-google-client-1d" },
};
const login = {
  domain,
  account,
  type: "oauth",
  value: {
    access_token: token(),
    refresh_token: refresh,
    expires_at: Date.now() + 3_600_000,
    scope:
      "openid email https://www.googleapis.com/auth/gmail.modify https://www.googleapis.com/auth/calendar",
    token_type: "Bearer",
    client_id: "an-id",
  },
};

/** The service has ended the access token: the next request is answered 401, and only a renewal helps. */
const rotate = () => {
  turn += 1;
};

function guarded(answer: (asked: Asked) => Answered | undefined): (asked: Asked) => Answered | undefined {
  return (asked) => {
    if (asked.host === "oauth2.googleapis.com") {
      const form = new URLSearchParams(asked.body);
      assert.equal(form.get("grant_type"), "refresh_token");
      assert.equal(form.get("refresh_token"), refresh);
      return {
        body: { access_token: token(), expires_in: 3599, token_type: "Bearer", scope: login.value.scope },
      };
    }
    if (asked.headers.authorization !== `Bearer ${token()}`)
      return {
        status: 401,
        body: { error: { code: 401, message: "Invalid Credentials", status: "UNAUTHENTICATED" } },
      };
    return answer(asked);
  };
}

const encoded = (text: string) => Buffer.from(text).toString("base64url");
const headers = [
  { name: "Subject", value: "Grüße" },
  { name: "From", value: "Joe <joe@example.org>" },
  { name: "To", value: "ann@gmail.test, bo@example.org" },
  { name: "Message-ID", value: "<1@example.org>" },
];
const mail = {
  id: "18c1",
  threadId: "18c0",
  labelIds: ["INBOX", "UNREAD"],
  snippet: "Hello Ann",
  internalDate: "1763107200000",
  payload: {
    mimeType: "multipart/mixed",
    headers,
    parts: [
      {
        mimeType: "multipart/alternative",
        parts: [
          {
            partId: "0.0",
            mimeType: "text/plain",
            filename: "",
            body: { data: encoded("Hello Ann,\nsee you ☀") },
          },
          { partId: "0.1", mimeType: "text/html", filename: "", body: { data: encoded("<p>Hello</p>") } },
        ],
      },
      {
        partId: "1",
        mimeType: "application/pdf",
        filename: "plan.pdf",
        body: { attachmentId: "a1", size: 120 },
      },
    ],
  },
};
const htmlOnly = {
  ...mail,
  id: "18c2",
  payload: {
    mimeType: "text/html",
    headers,
    body: { data: encoded("<style>x</style><p>One&nbsp;line</p><p>Two</p>") },
  },
};

export const gmail: Service = {
  skill: "gmail",
  hosts: ["gmail.googleapis.com", "oauth2.googleapis.com"],
  login,
  rows: [client],
  rotate,
  answer: guarded(({ method, path, query, body }) => {
    const at = path.replace("/gmail/v1/users/me", "");
    switch (`${method} ${at}`) {
      case "GET /messages":
        return {
          body: query.get("q") === "nothing" ? { resultSizeEstimate: 0 } : { messages: [{ id: "18c1" }] },
        };
      case "GET /messages/18c1":
        return { body: mail };
      case "GET /messages/18c2":
        return { body: htmlOnly };
      case "GET /labels":
        return { body: { labels: [{ id: "INBOX", name: "INBOX", type: "system" }] } };
      case "POST /messages/send":
      case "POST /drafts": {
        const given = JSON.parse(body);
        const raw = Buffer.from((given.message ?? given).raw, "base64url").toString();
        assert.match(raw, /^To: joe@example.org\r\nSubject: =\?UTF-8\?B\?R3LDvMOfZQ==\?=\r\n/);
        assert.ok(!raw.includes("\nBcc: evil"), "a subject with a line break adds no header");
        const text = Buffer.from(raw.split("\r\n\r\n")[1] ?? "", "base64").toString();
        assert.equal(text, "Schöne ".repeat(30));
        return {
          body:
            at === "/drafts"
              ? { id: "d1", message: { id: "m", threadId: "t" } }
              : { id: "m1", threadId: "t" },
        };
      }
      case "POST /messages/18c1/modify":
        return { body: { id: "18c1", labelIds: ["INBOX", ...JSON.parse(body).addLabelIds] } };
      case "POST /messages/18c1/trash":
        return { body: { id: "18c1", labelIds: ["TRASH"] } };
      default:
        return undefined;
    }
  }),
  runs: [
    {
      tool: "list_emails",
      params: { query: "is:unread" },
      check: ([one]) => {
        assert.deepEqual([one.name, one.from_email, one.read], ["Grüße", "joe@example.org", false]);
        assert.deepEqual(one.to, ["ann@gmail.test", "bo@example.org"]);
        assert.match(one.published, /^2025-11-14T/);
      },
      entity: ["email", "Grüße"],
    },
    { tool: "list_emails", params: { query: "nothing" }, check: (data) => assert.deepEqual(data, []) },
    {
      tool: "get_email",
      params: { id: "18c1" },
      check: (data) => {
        assert.equal(data.content, "Hello Ann,\nsee you ☀");
        assert.equal(data.attachment["file[]"][0].filename, "plan.pdf");
      },
    },
    {
      tool: "get_email",
      params: { id: "18c2" },
      check: (data) => assert.match(data.content, /^One line\nTwo/),
    },
    { tool: "list_labels", check: (data) => assert.equal(data[0].id, "INBOX") },
    {
      tool: "send_email",
      params: { to: ["joe@example.org"], subject: "Grüße", text: "Schöne ".repeat(30) },
      check: (data) => assert.deepEqual(data, { id: "m1", thread_id: "t", sent: true }),
    },
    {
      tool: "create_draft",
      params: { to: ["joe@example.org"], subject: "Grüße", text: "Schöne ".repeat(30) },
      check: (data) => assert.equal(data.sent, false),
    },
    {
      tool: "label_email",
      params: { id: "18c1", add: ["STARRED"], remove: ["UNREAD"] },
      check: (data) => assert.deepEqual(data.labels, ["INBOX", "STARRED"]),
    },
    { tool: "trash_email", params: { id: "18c1" }, check: (data) => assert.equal(data.trashed, true) },
  ],
};

const event = {
  id: "ev1",
  status: "confirmed",
  htmlLink: "https://www.google.com/calendar/event?eid=ev1",
  created: "2026-10-01T08:00:00.000Z",
  summary: "Dentist",
  location: "High Street 1",
  organizer: { email: "ann@gmail.test", displayName: "Ann" },
  attendees: [{ email: "joe@example.org", responseStatus: "accepted" }],
  start: { dateTime: "2026-11-20T09:00:00+01:00", timeZone: "Europe/Berlin" },
  end: { dateTime: "2026-11-20T09:30:00+01:00", timeZone: "Europe/Berlin" },
};

export const googleCalendar: Service = {
  skill: "google-calendar",
  hosts: ["www.googleapis.com"],
  login,
  rotate,
  answer: guarded(({ method, path, query, body }) => {
    switch (`${method} ${path.replace("/calendar/v3", "")}`) {
      case "GET /users/me/calendarList":
        return {
          body: { items: [{ id: account, summary: "Ann", timeZone: "Europe/Berlin", accessRole: "owner" }] },
        };
      case "GET /calendars/primary/events":
        assert.match(query.get("timeMin") ?? "", /^20\d\d-/);
        return { body: { items: [event] } };
      case "GET /calendars/primary/events/ev1":
        return { body: event };
      case "POST /calendars/primary/events": {
        const given = JSON.parse(body);
        assert.deepEqual(given.start, { date: "2026-12-24" });
        assert.deepEqual(given.attendees, [{ email: "joe@example.org" }]);
        return { body: { ...event, ...given, id: "ev2" } };
      }
      case "PATCH /calendars/primary/events/ev1":
        return { body: { ...event, ...JSON.parse(body) } };
      case "DELETE /calendars/primary/events/ev1":
        return { status: 204 };
      default:
        return undefined;
    }
  }),
  runs: [
    {
      tool: "list_calendars",
      check: (data) => assert.equal(data[0].access, "owner"),
      entity: ["calendar", "Ann"],
    },
    {
      tool: "list_events",
      check: ([one]) => {
        assert.equal(one.start_date, "2026-11-20T09:00:00+01:00");
        assert.equal(one.location.place.name, "High Street 1");
      },
      entity: ["event", "Dentist"],
    },
    { tool: "get_event", params: { id: "ev1" }, check: (data) => assert.equal(data.all_day, false) },
    {
      tool: "create_event",
      params: { name: "Feast", start: "2026-12-24", end: "2026-12-27", attendees: ["joe@example.org"] },
      check: (data) => assert.deepEqual([data.name, data.all_day], ["Feast", true]),
    },
    {
      tool: "update_event",
      params: { id: "ev1", name: "Doctor" },
      check: (data) => assert.equal(data.name, "Doctor"),
    },
    { tool: "delete_event", params: { id: "ev1" }, check: (data) => assert.equal(data.deleted, true) },
  ],
};
