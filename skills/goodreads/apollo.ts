/** What a page of Next.js with Apollo has fetched comes along in it, as entities that refer to one another. */
export type Entity = Readonly<Record<string, unknown>>;

export interface ApolloCache {
  /** The answer to a query of the page, whatever its arguments. */
  query(name: string): Entity | undefined;
  /** An entity, or the one a reference leads to. */
  follow(value: unknown): Entity | undefined;
}

export function apolloCache(page: string): ApolloCache {
  const text = /<script id="__NEXT_DATA__"[^>]*>([\s\S]*?)<\/script>/.exec(page)?.[1];
  const state = (text === undefined ? {} : (JSON.parse(text).props?.pageProps?.apolloState ?? {})) as Record<
    string,
    Entity
  >;
  const follow = (value: unknown): Entity | undefined => {
    if (value === null || typeof value !== "object") return undefined;
    const reference = (value as Entity)["__ref"];
    return typeof reference === "string" ? state[reference] : (value as Entity);
  };
  return {
    follow,
    query(name) {
      const root = state["ROOT_QUERY"] ?? {};
      const key = Object.keys(root).find((one) => one === name || one.startsWith(`${name}(`));
      return key === undefined ? undefined : follow(root[key]);
    },
  };
}
