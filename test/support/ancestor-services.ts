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
  "hn.news.test",
  "www.forum.test",
  "books.library.test",
  "api.library.test",
  "assistant.test",
  "api.registrar.test",
  "publish.test",
  "intra.test",
  "wiki.test",
  "portal.wall.test",
  "widgets.wall.test",
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

const news: Service = ({ path, query }) => {
  if (path.startsWith("/api/v1/items/")) {
    const child = { id: 2, text: "c", author: "bob", children: [{ id: 3, text: "d", author: "eve" }] };
    return { json: { id: 1, title: "Item", children: [child] } };
  }
  const title = `${query.get("tags") ?? query.get("query")} ${query.get("hitsPerPage")}`;
  return { json: { hits: [{ objectID: "1", title, author: "ada", created_at_i: 1767322800, points: 5 }] } };
};

const forum: Service = ({ path, query, headers }) => {
  const post = (title: string) => ({
    data: { id: "f1", title, selftext: "", created: 1767322800, score: 3, author: "ada", sub: "cats" },
  });
  if (path !== "/search.json") return { json: [post(path)] };
  return { json: { data: { children: [post(`${query.get("q")} ${headers["user-agent"]}`)] } } };
};

const books: Service = ({ path, cookies, query }) => {
  const html = { "Content-Type": "text/html" };
  if (path === "/") {
    const endpoint = `http://api.library.test:${ownPort}/graphql`;
    const state = JSON.stringify({ props: { endpoint, key: "public-key" } });
    return { text: `<script id="__NEXT_DATA__" type="x">${state}</script>`, headers: html };
  }
  if (path === "/sign_in") return { text: "sign in", headers: html };
  if (cookies["_session_id2"] !== CANARY) return { status: 302, headers: { Location: "/sign_in" } };
  const page = query.get("page");
  const next = page === "1" ? '<a class="next_page">' : "";
  return {
    text: `<tr data-id="${page}"><td><b>F ${page}</b></td><td>1,0${page} books</td></tr>${next}`,
    headers: html,
  };
};

const libraryApi: Service = keyed("x-api-key", "public-key", ({ body }) => {
  const title = JSON.parse(body).variables.q;
  const apollo = {
    "Book:1": { legacyId: 1, title, author: { __ref: "Author:9" } },
    "Author:9": { name: "Ada" },
  };
  return { json: { data: { apollo } } };
});

const assistant: Service = ({ path, cookies, headers, query }) => {
  if (cookies["sessionKey"] !== CANARY) return NO;
  const organization = { uuid: "o1", email: "una@assistant.test", name: "Una", capabilities: ["chat"] };
  if (path === "/api/organizations") return { json: [organization] };
  if (headers["x-session"] !== CANARY || headers["anthropic-client-platform"] === undefined) return NO;
  const chat = { uuid: "c1", name: `Chat ${query.get("limit")}`, at: "2026-01-02T03:04:05Z" };
  return { json: [chat] };
};

const registrar: Service = ({ path, body }) => {
  const asked = JSON.parse(body);
  if (asked.apikey !== CANARY || asked.secretapikey !== `${CANARY}2`)
    return { json: { status: "ERROR", message: "no" } };
  if (path.endsWith("listAll"))
    return {
      json: { status: "SUCCESS", domains: [{ domain: `a${asked.start}.test`, expireDate: "2027-01-01" }] },
    };
  return { json: { status: asked.ttl === "600" ? "SUCCESS" : "ERROR" } };
};

const publish: Service = ({ method, path, headers, body }) => {
  const here = `http://publish.test:${ownPort}/api/v1`;
  if (path.endsWith("/basic")) {
    const said = Buffer.from((headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
    return { json: { who: said === `user:${CANARY}` ? "una" : "nobody" } };
  }
  if (headers.authorization !== `Bearer ${CANARY}`) return NO;
  if (method === "PUT") return body === "<p>" ? { status: 204 } : { status: 400 };
  if (path.endsWith("/publish"))
    return {
      json: {
        slug: "s1",
        versionId: "v1",
        uploads: [{ url: `${here}/up/1` }],
        finalizeUrl: `${here}/done`,
      },
    };
  return { json: { siteUrl: `https://s1.publish.test/${JSON.parse(body).title}` } };
};

const wiki: Service = ({ path, query }) =>
  path === "/w/page"
    ? { json: { id: 7, title: query.get("title"), text: ` ${query.get("lang")} text ` } }
    : { json: { items: ["a", path] } };

const portalWall: Service = keyed("authorization", CANARY, () => ({ json: ["b1"] }));

const widgets: Service = keyed("x-api-key", "public", ({ body }) => {
  const { day, ids } = JSON.parse(body);
  return { json: [{ id: ids[0], name: `Class of ${day}`, at: `${day}T10:00:00Z` }] };
});

/** Addresses that services tell of themselves. */
let ownPort = 0;

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
  "hn.news.test": news,
  "www.forum.test": forum,
  "books.library.test": books,
  "api.library.test": libraryApi,
  "assistant.test": assistant,
  "api.registrar.test": registrar,
  "publish.test": publish,
  "wiki.test": wiki,
  "portal.wall.test": portalWall,
  "widgets.wall.test": widgets,
};

export function ancestorServices(): Promise<LoopbackServer> {
  return http1Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
      ownPort = Number(url.port);
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
