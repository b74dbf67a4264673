import type { Cookie } from "../cookies/index.ts";
import { BoundedMap, type Identity, Secret } from "../kernel/index.ts";

/** Identities in use; those of others are prepared again. */
const MOST = 500;

interface Kept {
  readonly values: readonly string[];
  readonly secrets: readonly Secret[];
}

/** What is masked in answers to an identity: the same list while its cookies stay, so that it is prepared once. */
export class MaskedValues {
  readonly #kept = new BoundedMap<string, Kept>(MOST);

  of({ domain, identifier }: Identity, cookies: readonly Cookie[]): readonly Secret[] {
    const key = `${domain}\0${identifier}`;
    const values = cookies.map(({ value }) => value);
    const known = this.#kept.get(key);
    if (known?.values.length === values.length && values.every((value, i) => value === known.values[i]))
      return known.secrets;
    const secrets = values.map((value) => Secret.fromText(value));
    this.#kept.set(key, { values, secrets });
    return secrets;
  }
}
