/** A lender with a real vault, real expressions and a real network, for services that live on loopback. */
import { type CookieProvider, connectionForm, createLender, loadConnection } from "../../src/auth/index.ts";
import type { Connection, Lender } from "../../src/auth/index.ts";
import type { Cookie } from "../../src/cookies/index.ts";
import { createExpressions, type Expressions } from "../../src/expressions/index.ts";
import { Secret } from "../../src/kernel/index.ts";
import type { SkillProviders } from "../../src/skills/index.ts";
import type { Vault } from "../../src/vault/index.ts";
import { META, TestVault } from "./test-vault.ts";
import { type TestHttp, testHttp } from "./test-lease.ts";

/** A browser's profile whose cookies a test can change. */
export class TestProfile implements CookieProvider {
  readonly id: string;
  readonly live: boolean;
  jar: Cookie[];
  reads = 0;

  constructor(id: string, jar: Cookie[], live = false) {
    this.id = id;
    this.jar = jar;
    this.live = live;
  }

  async stamp() {
    return JSON.stringify(this.jar);
  }

  async cookies() {
    this.reads += 1;
    return { cookies: this.jar, warnings: [] };
  }
}

export class TestLender implements AsyncDisposable {
  readonly files = new TestVault();
  readonly vault: Vault = this.files.open();
  readonly expressions: Expressions = createExpressions();
  readonly http: TestHttp;
  readonly lender: Lender;
  readonly profiles: CookieProvider[] = [];
  /** Skills that supply logins, where a test has some. */
  fromSkills: Pick<SkillProviders, "cookies" | "suppliers"> | undefined;

  constructor(names: readonly string[], options: { cert?: string } = {}) {
    this.http = testHttp(names, options);
    this.lender = createLender({
      vault: this.vault,
      clock: { now: () => Date.now() },
      http: this.http,
      pool: this.http.pool,
      expressions: this.expressions,
      providers: async () => [...this.profiles, ...((await this.fromSkills?.cookies()) ?? [])],
      suppliers: async (question) => (await this.fromSkills?.suppliers(question)) ?? [],
    });
  }

  connection(form: unknown, skill = "shop", name = "api"): Promise<Connection> {
    return loadConnection(connectionForm.parse(form), { skill, name }, this.expressions);
  }

  store(domain: string, identifier: string, itemType: string, value: unknown): void {
    using secret = Secret.fromText(JSON.stringify(value));
    this.vault.put({ domain, identifier, itemType }, secret, META);
  }

  /** What a row holds now. */
  stored(domain: string, identifier: string, itemType: string): any {
    const row = this.vault.find({ domain, identifier, itemType });
    if (row === undefined) return undefined;
    using value = row.value;
    return JSON.parse(value.reveal());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.http[Symbol.asyncDispose]();
    await this.expressions[Symbol.asyncDispose]();
    this.files[Symbol.dispose]();
  }
}
