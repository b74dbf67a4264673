import assert from "node:assert/strict";
import type { Service } from "./service.ts";

const page = `<!doctype html><html lang="en-GB"><head><title>A page &amp; more</title>
<meta name="description" content="About ducks"><meta property="article:published_time" content="2026-05-01">
<style>p{color:red}</style></head><body>
<nav><a href="/menu">Menu</a></nav>
<main><h1>Ducks</h1><p>They <b>swim</b> and <a href="/fly?x=1#top">fly</a>.<p>Second paragraph
<ul><li>one<li>two<ul><li>inner</ul></ul>
<pre><code class="language-js">let a = 1;
  if (a &lt; 2) {}</code></pre>
<table><tr><th>Kind</th><th>Size</th></tr><tr><td>Teal</td><td>small | tiny</td></tr></table>
<blockquote>Said so</blockquote><img src="duck.png" alt="A duck"><script>evil()</script></main>
<footer>Imprint</footer></body></html>`;

export const web: Service = {
  skill: "web",
  hosts: ["ducks.example", "example.com"],
  allow: "hosts:any",
  answer({ path }) {
    if (path === "/") return { body: page };
    if (path === "/data.json") return { body: { ducks: 3 } };
    if (path === "/moved") return { status: 302, headers: { location: "/" } };
    if (path === "/duck.png") return { headers: { "content-type": "image/png" }, body: "\x89PNG" };
    return undefined;
  },
  runs: [
    {
      tool: "read_page",
      params: { url: "https://ducks.example/moved" },
      check(data) {
        assert.deepEqual(
          [data.name, data.url, data.language, data.text],
          ["A page & more", "https://ducks.example/", "en", "About ducks"],
        );
        assert.equal(
          data.content,
          [
            "# Ducks",
            "They **swim** and [fly](https://ducks.example/fly?x=1#top).",
            "Second paragraph",
            "- one\n- two\n  - inner",
            "```js\nlet a = 1;\n  if (a < 2) {}\n```",
            "| Kind | Size |\n| --- | --- |\n| Teal | small \\| tiny |",
            "> Said so",
            "![A duck](https://ducks.example/duck.png)",
          ].join("\n\n"),
        );
      },
      entity: ["webpage", "A page & more"],
    },
    {
      tool: "read_page",
      params: { url: "https://ducks.example/", whole: true, links: false, max_length: 20 },
      check: (data) => assert.match(data.content, /^Menu[\s\S]*\[cut: \d+ more/),
    },
    {
      tool: "read_page",
      params: { url: "https://ducks.example/data.json" },
      check: (data) => assert.equal(data.content, '{"ducks":3}'),
    },
    {
      tool: "list_links",
      params: { url: "https://ducks.example/", same_site: true },
      check: (data) =>
        assert.deepEqual(
          data.map(({ name }: { name: string }) => name),
          ["Menu", "fly"],
        ),
    },
  ],
};
