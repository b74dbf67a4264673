/** The services the ancestor's fixture skills talk to: one server, told apart by the host asked for. */
import type { IncomingMessage } from "node:http";
import { http1Server, type LoopbackServer } from "./http-servers.ts";

export const CANARY = "canary-7f1e0b52c6d94a38";
const GYM_KEY = "canary-b83d60aa19e24cf7";

/** Every host a fixture names. */
export const HOSTS = [
  "api.bookmarks.test",
  "tracker.test",
  "bank.test",
  "www.shop.test",
  "api.weather.test",
  "mail.test",
  "notes.test",
  "api.gym.test",
  "auth.gym.test",
  "dashboard.gym.test",
  "portal.members.test",
  "www.members.test",
  "api.finder.test",
  "api.issues.test",
];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly cookies: Readonly<Record<string, string>>;
}

interface Told {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string | string[]>;
}

type Service = (asked: Asked) => Told;

const NO: Told = { status: 401, json: { error: "no" } };
const keyed = (header: string, want: string, answer: Service): Service => {
  return (asked) => (asked.headers[header] === want ? answer(asked) : NO);
};

const bookmarks: Service = ({ method, path, query, headers, body }) => {
  if (headers.authorization !== `Bearer ${CANARY}` || query.get("client") !== "deputy") return NO;
  const link = (id: string) => ({
    link_id: id,
    title: `Link ${id}`,
    href: `https://a.test/${id}`,
    note: query.get("folder") ?? "all",
    saved_at: "2026-01-02T03:04:05Z",
    folder: { name: "top" },
    owner: { id: "u1", name: "Una", login: "una" },
    ...(id === "2" ? {} : { tags: ["x", "y"] }),
  });
  if (method === "POST") return { json: { new: { id: `${body.length}` }, echo: headers["x-reason"] } };
  if (path === "/v1/links")
    return {
      json: { payload: { links: ["1", "2", "3"].slice(0, Number(query.get("per_page"))).map(link) } },
    };
  if (path === "/v1/export.txt") return { text: "one\ntwo\n" };
  return { json: { link: link(path.split("/").at(-1) ?? "") } };
};

const tracker: Service = keyed("authorization", CANARY, ({ body }) => {
  const { query, variables } = JSON.parse(body);
  if (query.includes("close")) return { json: { data: { close: { success: true } } } };
  const node = (id: string) => ({
    id,
    title: `${variables.team} ${id}`,
    url: `https://tracker.test/${id}`,
    priority: 2,
    project: { id: "p", name: "P" },
  });
  return { json: { data: { issues: { nodes: [node("T-1"), node("T-2")] } } } };
});

const bank: Service = ({ path, cookies }) => {
  if (cookies["bank"] !== CANARY) return NO;
  if (path === "/accounts") {
    return {
      json: {
        accounts: [
          { id: 1, held: 2.5 },
          { id: 2, held: 4 },
        ],
      },
    };
  }
  return { text: path.endsWith("1") ? "day,sum\n1,10\n" : "2,20\n", headers: { "Content-Type": "text/csv" } };
};

const shop: Service = ({ path, query, cookies, headers }) => {
  if (path === "/suggest") return { json: { words: [`${query.get("q")}1`, `${query.get("q")}2`] } };
  if (cookies["shop_session"] !== CANARY || "tracker" in cookies)
    return { text: '<form name="signin">', headers: { "Content-Type": "text/html" } };
  if (path === "/account") return { text: '<p data-customer="c1">Una</p>' };
  const page = Number(query.get("page"));
  const li = (id: number) =>
    `<li data-order="o${id}"><b>${id} &amp; more</b><i>$ ${id}</i><span>2026-0${id}-01</span></li>`;
  const next = page < 2 ? '<a rel="next">' : "";
  return headers["x-requested-with"] === "XMLHttpRequest"
    ? { text: `<ul>${li(page)}${li(page + 1)}</ul>${next}` }
    : NO;
};

const weather: Service = ({ path, query, headers, body }) => {
  if (query.get("appid") !== CANARY) return NO;
  if (path === "/stations") return { json: { id: "s1" } };
  if (path === "/signed") return { json: {} };
  if (headers["x-token"] !== CANARY || headers.authorization !== `Token ${CANARY}`) return NO;
  return { json: { days: [JSON.parse(body).units, Number(query.get("days"))] } };
};

const mail: Service = keyed("authorization", `Bearer ${CANARY}`, ({ path, query }) => {
  if (path === "/v1/messages")
    return { json: { messages: [{ id: "m1" }, { id: "m2" }].slice(0, Number(query.get("max"))) } };
  const id = path.split("/").at(-1);
  const subject = `About ${id}`;
  return { json: { id, subject, snippet: "s", date: "2026-01-02", from: "a@b.test", to: ["c@d.test"] } };
});

const notes: Service = keyed("x-api-key", CANARY, () => ({
  json: [
    { id: "n1", title: "Alpha", text: "live" },
    { id: "n2", title: "Beta" },
  ],
}));

const gymApi: Service = keyed("x-api-key", GYM_KEY, () => ({
  json: [{ id: 1, title: "Climb", start: "2026-01-02T10:00:00Z" }],
}));

const gymAuth: Service = ({ path, body, cookies, query }) => {
  const csrf = cookies["csrf"];
  if (path === "/csrf") return { json: { token: "t1" }, headers: { "Set-Cookie": "csrf=t1; Path=/" } };
  if (path === "/signin")
    return csrf === "t1" && body.includes("csrfToken=t1") ? { json: {} } : { status: 403 };
  if (path === "/verify") {
    const { otp, csrfToken } = JSON.parse(body);
    return csrf === "t1" && csrfToken === "t1" && otp === "123456"
      ? { json: { token: "once" } }
      : { status: 400 };
  }
  if (query.get("token") !== "once") return NO;
  return {
    status: 302,
    headers: {
      Location: "/done",
      "Set-Cookie": [`gym-session=${CANARY}; Domain=gym.test; Path=/; HttpOnly`],
    },
  };
};

const gymDashboard: Service = ({ path, cookies }) => {
  if (cookies["gym-session"] !== CANARY) return NO;
  if (path === "/session") return { json: { email: "una@gym.test" } };
  return { json: { email: "una@gym.test", keys: [{ id: GYM_KEY }] } };
};

const portal: Service = ({ path, method, cookies, query, body }) => {
  if (cookies["sid"] !== CANARY) return NO;
  if (path === "/me") return { json: { id: "u1", email: "Una@Members.test", name: "Una" } };
  if (method === "POST") return { json: { id: `b-${JSON.parse(body).class}` } };
  const past = query.get("past") === "true" ? [{ id: "0", title: "Over", at: "2025-01-01" }] : [];
  const all = ["1", "2", "3"].map((id) => ({ id, title: `Class ${id}`, at: "2026-01-02T10:00:00Z" }));
  return { json: [...past, ...all] };
};

const members: Service = ({ query, headers }) => ({
  json: [{ id: "1", title: `${query.get("q")} ${headers["sec-fetch-mode"]}` }],
});

const finder: Service = ({ path, headers, body, query }) => {
  if (headers["x-api-key"] !== CANARY) return NO;
  if (path === "/read") {
    const url = query.get("url");
    return { json: { url, title: "Page", text: "words" } };
  }
  const { q, n, kind } = JSON.parse(body);
  const title = `${q} ${n} ${kind} ${headers["x-extra"] === CANARY}`;
  return { json: { hits: [{ url: "https://finder.test/page/1", title, date: "2026-01-02" }] } };
};

const issues: Service = keyed("authorization", CANARY, ({ body }) => {
  const { variables } = JSON.parse(body);
  const node = { id: variables.id ?? "I-1", title: `Issue of ${variables.teamId ?? "nobody"}` };
  return { json: { data: { issues: { nodes: [node] }, issue: node } } };
});

const SERVICES: Readonly<Record<string, Service>> = {
  "api.bookmarks.test": bookmarks,
  "tracker.test": tracker,
  "bank.test": bank,
  "www.shop.test": shop,
  "api.weather.test": weather,
  "mail.test": mail,
  "notes.test": notes,
  "api.gym.test": gymApi,
  "auth.gym.test": gymAuth,
  "dashboard.gym.test": gymDashboard,
  "portal.members.test": portal,
  "www.members.test": members,
  "api.finder.test": finder,
  "api.issues.test": issues,
};

export function ancestorServices(): Promise<LoopbackServer> {
  return http1Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
      const pairs = (request.headers.cookie ?? "").split("; ").map((pair) => pair.split("="));
      const told = SERVICES[url.hostname]?.({
        method: request.method ?? "GET",
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        cookies: Object.fromEntries(pairs.map(([name = "", ...value]) => [name, value.join("=")])),
      }) ?? { status: 404 };
      response.statusCode = told.status ?? 200;
      for (const [name, value] of Object.entries(told.headers ?? {})) response.setHeader(name, value);
      if (told.json !== undefined) response.setHeader("Content-Type", "application/json");
      response.end(told.text ?? (told.json === undefined ? "" : JSON.stringify(told.json)));
    });
  });
}
