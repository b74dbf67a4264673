import assert from "node:assert/strict";
import type { Service } from "./service.ts";

let turn = 1;
const session = () => `canary-goodreads-${turn}-0c9e`;
const cookies = () => ({
  cookies: [{ name: "at-main", value: session(), domain: "goodreads.com", secure: true, httpOnly: true }],
});
const GRAPH = "kxbwmqov6jgg3daaamb744ycu4.appsync-api.us-east-1.amazonaws.com";
const apolloState = {
  ROOT_QUERY: { 'getBookByLegacyId({"legacyId":"4934"})': { __ref: "Book:1" } },
  "Book:1": {
    legacyId: 4934,
    title: "The Brothers Karamazov",
    webUrl: "https://www.goodreads.com/book/show/4934",
    imageUrl: "https://images.test/4934.jpg",
    description: "Three <i>brothers</i><br />and a father",
    primaryContributorEdge: { node: { __ref: "Contributor:1" } },
    work: { __ref: "Work:1" },
    bookGenres: [{ genre: { __ref: "Genre:1" } }],
    details: {
      isbn: "0374528373",
      isbn13: "9780374528379",
      numPages: 796,
      format: "Paperback",
      publisher: "FSG",
      publicationTime: 1023951600000,
      language: { name: "English" },
    },
  },
  "Contributor:1": {
    legacyId: 3137322,
    name: "Fyodor Dostoevsky",
    webUrl: "https://www.goodreads.com/author/show/3137322",
  },
  "Work:1": {
    id: "kca://work/1",
    stats: { averageRating: 4.38, ratingsCount: 380000 },
    details: { publicationTime: -2824041600000 },
  },
  "Genre:1": { name: "Classics" },
};
const bookPage = `<html><script src="/x.js"></script><script>["/_next/static/chunks/main.js","/_next/static/chunks/pages/_app-1.js"]</script>
<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: { apolloState } } })}</script></html>`;
const bundle = `x={"graphql":{"apiKey":"da2-beta","endpoint":"https://b"},"showAds":false,"shortName":"Beta"};y={"graphql":{"apiKey":"da2-prod","endpoint":"https://${GRAPH}/graphql","region":"us-east-1"},"showAds":true,"shortName":"Prod"}`;
const shelf = `<meta property="og:title" content="Joe’s books"><a href="/user/show/77-joe">Joe</a><table>
<tr id="r" class="bookalike review"><td class="field cover"><img src="https://images.test/1.jpg"></td>
<td class="field title"><label>title</label><a title="Emma" href="/book/show/6969.Emma">Emma &amp; friends</a></td>
<td class="field author"><a href="/author/show/1265.Jane_Austen">Austen, Jane</a></td>
<td class="field num_pages">1,036 pp</td><td class="field avg_rating">4.05</td>
<td class="field rating"><div class="stars" data-rating="5"></div></td>
<td class="field date_read"><span title="March 05, 2024">Mar 05</span></td></tr></table>`;

export const goodreads: Service = {
  skill: "goodreads",
  hosts: ["www.goodreads.com", GRAPH],
  login: { domain: "goodreads.com", account: "77", type: "cookies", value: cookies() },
  rotate() {
    turn += 1;
    return cookies();
  },
  answer({ host, path, headers, body, query }) {
    const cookie = headers.cookie ?? "";
    if (host === GRAPH) {
      assert.equal(cookie, "", "the interface gets no login");
      if (headers["x-api-key"] !== "da2-prod") return { status: 401, body: { errors: [] } };
      assert.equal(JSON.parse(body).variables.filters.resourceId, "kca://work/1");
      const node = {
        id: "kca://review/1",
        text: "Long<br>but good",
        rating: 4,
        likeCount: 9,
        createdAt: 1400000000000,
        creator: { userId: 5, name: "Bo" },
      };
      return { body: { data: { getReviews: { edges: [{ node }] } } } };
    }
    if (path === "/book/show/4934") return { body: bookPage };
    if (path.endsWith("main.js")) return { headers: { "content-type": "text/javascript" }, body: "0" };
    if (path.endsWith("_app-1.js")) return { headers: { "content-type": "text/javascript" }, body: bundle };
    if (path === "/book/auto_complete")
      return {
        body: [
          {
            bookId: "4934",
            title: "The Brothers Karamazov",
            bookUrl: "/book/show/4934?from=x",
            imageUrl: "https://images.test/4934.jpg",
            numPages: 796,
            avgRating: "4.38",
            ratingsCount: 380000,
            author: { id: 3137322, name: "Fyodor Dostoevsky" },
            description: { html: "Three <b>brothers</b>" },
          },
        ],
      };
    if (path.startsWith("/review/list")) {
      if (!cookie.includes(`at-main=${session()}`))
        return { status: 302, headers: { location: "/user/sign_in" } };
      if (path !== "/review/list")
        assert.deepEqual([path, query.get("shelf")], ["/review/list/77", "to-read"]);
      return { body: shelf };
    }
    if (path === "/user/sign_in") return { body: "<form>Sign in</form>" };
    return undefined;
  },
  runs: [
    {
      tool: "list_shelf",
      params: { shelf: "to-read" },
      check: ([one]) => {
        assert.deepEqual(
          [one.id, one.name, one.author, one.page_count],
          ["6969", "Emma & friends", "Austen, Jane", 1036],
        );
        assert.deepEqual(
          [one.reviews["review[]"][0].rating, one.reviews["review[]"][0].finished],
          [5, "2024-03-05"],
        );
      },
      entity: ["book", "Emma & friends"],
    },
    {
      tool: "get_book",
      params: { id: "https://www.goodreads.com/book/show/4934.The_Brothers" },
      check: (data) => {
        assert.deepEqual(
          [data.isbn13, data.genres, data.average_rating],
          ["9780374528379", ["Classics"], 4.38],
        );
        assert.equal(data.content, "Three brothers\nand a father");
        assert.match(data.first_published, /^1880-/);
      },
      entity: ["book", "The Brothers Karamazov"],
      warns: /language/,
    },
    {
      tool: "search_books",
      params: { query: "karamazov" },
      check: ([one]) => assert.equal(one.text, "Three brothers"),
    },
    {
      tool: "list_reviews",
      params: { id: "4934" },
      check: ([one]) => assert.deepEqual([one.rating, one.content], [4, "Long\nbut good"]),
    },
  ],
};
