/** Told of all traffic, for whoever keeps account of it. It learns no path and no content. */
export interface Watch {
  /** Before a hop is sent; `host` with its port where that is not the usual one. */
  contact(host: string, method: string): void;
  answered(status: number): void;
  /** Of a body, as it is read. */
  received(bytes: number): void;
}
