import type { Run } from "deputize/skill";
import { apolloCache, type Entity } from "./apollo.ts";
import { shelfRows } from "./shelf.ts";

const SITE = "https://www.goodreads.com";

export async function whoami({ http }: Run) {
  const page = await http.get("/review/list", { query: { per_page: 1 } });
  const id = /\/user\/show\/(\d+)/.exec(page.text())?.[1];
  if (id === undefined || isSignIn(page.url)) throw new Error("SESSION_EXPIRED: Goodreads wants a sign-in");
  const name = /<meta property="og:title" content="([^"]*?)(?:’s|'s)/.exec(page.text())?.[1];
  return {
    id,
    issuer: "goodreads.com",
    platform: "goodreads",
    handle: id,
    display_name: name,
    url: `${SITE}/user/show/${id}`,
  };
}

export async function getBook({ http, params }: Run) {
  const id = bookNumber(params["id"]);
  const page = await http.get(`/book/show/${id}`);
  if (page.status === 404) throw new Error(`There is no book ${id}`);
  const cache = apolloCache(page.text());
  const book = cache.query("getBookByLegacyId");
  if (book === undefined)
    throw new Error(`The page of book ${id} is not as expected (status ${page.status})`);
  return bookOf(book, (value) => cache.follow(value));
}

export async function listReviews(run: Run) {
  const { http, cache, params } = run;
  const id = bookNumber(params["id"]);
  const page = apolloCache((await http.get(`${SITE}/book/show/${id}`, { mode: "browser" })).text());
  const work = page.follow(page.query("getBookByLegacyId")?.["work"]);
  if (work === undefined) throw new Error(`There is no book ${id}`);
  const key = (await cache.get<string>("key")) ?? (await findKey(run, id));
  const answer = await http.post("/graphql", {
    headers: { "x-api-key": key },
    json: {
      operationName: "getReviews",
      variables: {
        filters: { resourceType: "WORK", resourceId: work["id"] },
        pagination: { limit: Math.min(Number(params["limit"]), 30) },
      },
      query: REVIEWS,
    },
  });
  if (answer.status === 401 || answer.status === 403) await cache.set("key", null);
  const edges = answer.ok ? answer.json().data?.getReviews?.edges : undefined;
  if (!Array.isArray(edges)) throw new Error(`Goodreads did not give its reviews (status ${answer.status})`);
  const book = { id, url: `${SITE}/book/show/${id}` };
  return edges.map(({ node }) => ({
    id: node.id,
    name: `${node.creator?.name ?? "Somebody"}, ${node.rating ?? 0} of 5`,
    text: plain(node.text).slice(0, 500),
    content: plain(node.text),
    author: node.creator?.name,
    published: node.createdAt,
    rating: node.rating || undefined,
    rating_max: 5,
    like_count: node.likeCount,
    reviews: { book },
    posted_by: {
      account: {
        platform: "goodreads",
        id: String(node.creator?.userId ?? node.creator?.id),
        display_name: node.creator?.name,
      },
    },
  }));
}

export async function listShelf(run: Run) {
  const { http, params } = run;
  const user = params["user"] ?? (await whoami(run)).id;
  const page = await http.get(`/review/list/${user}`, {
    query: { shelf: params["shelf"], page: params["page"], per_page: 30, print: true },
  });
  if (isSignIn(page.url)) throw new Error("SESSION_EXPIRED: Goodreads wants a sign-in");
  return shelfRows(page.text(), SITE);
}

const REVIEWS = `query getReviews($filters: BookReviewsFilterInput!, $pagination: PaginationInput) {
  getReviews(filters: $filters, pagination: $pagination) {
    edges { node { id text rating likeCount createdAt creator { userId: legacyId name } } }
  }
}`;

/** The pages carry the public key of the interface in one of their scripts: that of production is labelled so. */
async function findKey({ http, cache, log }: Run, id: string): Promise<string> {
  const page = (await http.get(`${SITE}/book/show/${id}`, { mode: "browser" })).text();
  const scripts = [
    ...new Set([...page.matchAll(/"(\/_next\/static\/[^"]+\.js)"/g)].map(([, path = ""]) => path)),
  ];
  for (const path of scripts
    .toSorted((a, b) => Number(b.includes("_app")) - Number(a.includes("_app")))
    .slice(0, 20)) {
    const script = (await http.get(`${SITE}${path}`)).text();
    const found = [...script.matchAll(/"?apiKey"?:"(da2-[a-z0-9]+)"[^}]*\}[^}]*"?shortName"?:"(\w+)"/g)];
    const key = (found.find(([, , name]) => name === "Prod") ?? found.at(-1))?.[1];
    if (key === undefined) continue;
    await cache.set("key", key);
    return key;
  }
  log.warn(`${scripts.length} scripts looked into`);
  throw new Error("Goodreads no longer says how its reviews are asked for");
}

function bookOf(book: Entity, follow: (value: unknown) => Entity | undefined) {
  const details = follow(book["details"]) ?? {};
  const work = follow(book["work"]) ?? {};
  const stats = follow(work["stats"]) ?? {};
  const author = follow(follow(book["primaryContributorEdge"])?.["node"]);
  const genres = (book["bookGenres"] as { genre?: unknown }[] | undefined) ?? [];
  const time = (follow(work["details"])?.["publicationTime"] ?? details["publicationTime"]) as
    | number
    | undefined;
  const language = follow(details["language"])?.["name"];
  return {
    id: String(book["legacyId"]),
    name: book["title"],
    url: book["webUrl"],
    image: book["imageUrl"],
    text: plain(book["description"]).slice(0, 500),
    content: plain(book["description"]),
    author: author?.["name"],
    isbn: details["isbn"] ?? undefined,
    isbn13: details["isbn13"] ?? undefined,
    page_count: details["numPages"] ?? undefined,
    format: details["format"] ?? undefined,
    published:
      typeof details["publicationTime"] === "number"
        ? new Date(details["publicationTime"]).toISOString()
        : undefined,
    first_published: typeof time === "number" ? new Date(time).toISOString() : undefined,
    average_rating: stats["averageRating"],
    ratings_count: stats["ratingsCount"],
    genres: genres.map(({ genre }) => follow(genre)?.["name"]).filter((name) => name !== undefined),
    ...(language === undefined ? {} : { language }),
    ...(author === undefined
      ? {}
      : {
          written_by: {
            "author[]": [{ id: String(author["legacyId"]), name: author["name"], url: author["webUrl"] }],
          },
        }),
    ...(details["publisher"] ? { published_by: { organization: { name: details["publisher"] } } } : {}),
  };
}

function bookNumber(given: unknown): string {
  const number = /(?:^|\/show\/)(\d+)/.exec(String(given))?.[1];
  if (number === undefined) throw new Error(`${String(given)} is no book's number or address`);
  return number;
}

function isSignIn(url: string): boolean {
  return /\/(?:user\/sign_in|ap\/signin|ap\/register)/.test(url);
}

function plain(html: unknown): string {
  return (typeof html === "string" ? html : "")
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .trim();
}
