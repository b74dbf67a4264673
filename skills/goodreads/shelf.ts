/** A shelf is a table; each cell's class says what is in it. */
export function shelfRows(page: string, site: string) {
  return [...page.matchAll(/<tr[^>]*class="[^"]*bookalike[^"]*"[^>]*>([\s\S]*?)<\/tr>/g)].map(
    ([, row = ""]) => {
      const cell = (name: string) =>
        new RegExp(`<td[^>]*class="field ${name}"[^>]*>([\\s\\S]*?)</td>`).exec(row)?.[1] ?? "";
      const link = /<a[^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/;
      const [, address = "", title = ""] = link.exec(cell("title")) ?? [];
      const [, authorAddress = "", author = ""] = link.exec(cell("author")) ?? [];
      const stars = Number(/data-rating="(\d+)"/.exec(cell("rating"))?.[1] ?? 0);
      const id = /\/show\/(\d+)/.exec(address)?.[1] ?? "";
      const name = text(title);
      return {
        id,
        name,
        url: new URL(address, site).href,
        image: /<img[^>]*src="([^"]*)"/.exec(cell("cover"))?.[1],
        author: text(author),
        isbn: text(cell("isbn")).replace(/^isbn /i, "") || undefined,
        isbn13: text(cell("isbn13")).replace(/^isbn13 /i, "") || undefined,
        page_count: number(cell("num_pages")),
        average_rating: number(cell("avg_rating")),
        written_by: {
          "author[]": [{ id: /\/show\/(\d+)/.exec(authorAddress)?.[1] ?? text(author), name: text(author) }],
        },
        ...(stars > 0
          ? {
              reviews: {
                "review[]": [
                  {
                    id: `${id}/rating`,
                    name: `${name}: ${stars} of 5`,
                    rating: stars,
                    rating_max: 5,
                    finished: date(cell("date_read")),
                  },
                ],
              },
            }
          : {}),
      };
    },
  );
}

function text(html: string): string {
  return html
    .replace(/<label>[\s\S]*?<\/label>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&amp;/g, "&")
    .replace(/&#39;|&#x27;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, " ")
    .trim();
}

function number(html: string): number | undefined {
  const found = /[\d,]+(?:\.\d+)?/.exec(text(html))?.[0];
  return found === undefined ? undefined : Number(found.replaceAll(",", ""));
}

function date(html: string): string | undefined {
  const found = /title="([^"]+)"/.exec(html)?.[1] ?? text(html);
  return Number.isNaN(Date.parse(found))
    ? undefined
    : new Date(Date.parse(`${found} UTC`)).toISOString().slice(0, 10);
}
