import type { Run } from "../../sdk.ts";

/** A run of nothing, to have done it once. */
export async function firstRun({ http, log }: Run): Promise<object> {
  log("");
  const response = await http.get("/", { query: { a: 1 }, headers: { a: "1" } });
  return { ...response.json(), status: response.headers.get("a") };
}
