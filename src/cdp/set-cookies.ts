import { type CdpConnection, CdpRefusal } from "./connection.ts";

/** Sets cookies all at once; where the browser refuses the batch for one of them, one by one, to know which. */
export async function setCookies<Order extends { readonly param: object }>(
  connection: CdpConnection,
  orders: readonly Order[],
  scope: { readonly browserContextId?: string },
): Promise<ReadonlySet<Order>> {
  const refused = new Set<Order>();
  const set = async (some: readonly Order[]) => {
    try {
      await connection.call("Storage.setCookies", { cookies: some.map(({ param }) => param), ...scope });
      return true;
    } catch (error) {
      if (error instanceof CdpRefusal) return false;
      throw error;
    }
  };
  if (orders.length === 0 || (await set(orders))) return refused;
  for (const one of orders) if (!(await set([one]))) refused.add(one);
  return refused;
}
