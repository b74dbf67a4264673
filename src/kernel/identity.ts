/** Who we are at a service: `domain` is the service, `identifier` the account there. */
export interface Identity {
  readonly domain: string;
  readonly identifier: string;
}

/** `cookies`, `api_key`, `oauth`, `password`, or a type a skill declares. */
type ItemType = string;

/** What a vault row is found by. */
export interface RowKey extends Identity {
  readonly itemType: ItemType;
}
