import type { Answered, Asked } from "../support/fixture-web.ts";

/** A service as a bundled skill meets it, in answers of the form the real one gives. */
export interface Service {
  readonly skill: string;
  readonly hosts: readonly string[];
  /** The login it begins with. */
  readonly login?: {
    readonly domain: string;
    readonly account: string;
    readonly type: string;
    readonly value: unknown;
  };
  /** More rows it needs, such as the owner's OAuth client. */
  readonly rows?: readonly NonNullable<Service["login"]>[];
  /** What the owner allows beside the login. */
  readonly allow?: string;
  readonly answer: (asked: Asked) => Answered | undefined;
  /** From now on the service takes another credential only. What the owner stores then, unless Deputy gets it by itself. */
  readonly rotate?: () => unknown;
  readonly runs: readonly ServiceRun[];
}

export interface ServiceRun {
  readonly tool: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly connection?: string;
  readonly check: (data: any) => void;
  /** What is found in the graph afterwards: a shape and a name. */
  readonly entity?: readonly [shape: string, name: string];
  /** Warnings that are expected; none otherwise. */
  readonly warns?: RegExp;
}

/** A key that the service takes, until it is given another. */
export class KeyGuard {
  readonly #name: string;
  #key: string;
  #turn = 0;

  constructor(name: string) {
    this.#name = name;
    this.#key = this.#next();
  }

  get key(): string {
    return this.#key;
  }

  rotate(): { key: string } {
    this.#key = this.#next();
    return { key: this.#key };
  }

  #next(): string {
    this.#turn += 1;
    return `canary-${this.#name}-${this.#turn}-7f3a9c`;
  }
}

export const refused: Answered = { status: 401, body: { message: "Bad credentials" } };
