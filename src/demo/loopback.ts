import type { AddressInfo, Server } from "node:net";

/** Has a server listen where only this machine reaches it; the port it got. */
export async function loopback(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}
