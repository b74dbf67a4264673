import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { selfSignedCertificate } from "./certificate.ts";
import type { CookieSequence } from "./cookie-sequences.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Why the browser cannot be asked here, or false. */
export const noChromium: string | false = CHROMIUM === undefined ? "there is no Chromium here" : false;

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--ignore-certificate-errors",
  "--remote-debugging-pipe",
  "--disable-site-isolation-trials",
  "--renderer-process-limit=3",
  // Plain http must stay plain: a silent upgrade would test another rule.
  "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,WebUIOmniboxPopup,WebUIOmniboxAimPopup,BackForwardCache,ProactivelySwapBrowsingInstance",
];

/** One request a page load makes: what it answers, and the Cookie header it brought. */
interface Hop {
  readonly url: URL;
  readonly setCookies: string[];
  next?: string;
  cookie?: string;
  error?: string;
}

interface Tab {
  readonly session: string;
  readonly context: string;
}

type Message = { id?: number; result?: Record<string, unknown>; error?: { message: string } };

/** A real Chromium in front of raw servers on loopback that stand for every host, on the ports a URL says. */
export class CookieBrowser implements AsyncDisposable {
  readonly #hops = new Map<string, Hop>();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #pending = new Map<number, (message: Message) => void>();
  readonly #profile = mkdtempSync(join(tmpdir(), "cookie-browser-"));
  readonly #idle: Tab[] = [];
  #process: ChildProcess | undefined;
  #count = 0;

  static async launch(tabs = 1): Promise<CookieBrowser> {
    const browser = new CookieBrowser();
    const plain = await browser.#listen(createServer());
    const certificate = selfSignedCertificate(["localhost"]);
    const encrypted = await browser.#listen(createTlsServer({ ...certificate, ALPNProtocols: ["http/1.1"] }));
    browser.#start(plain, encrypted);
    for (let tab = 0; tab < tabs; tab += 1) browser.#idle.push(await browser.#openTab());
    return browser;
  }

  /**
   * What Chromium sends, or shows to a script, at the end of the sequence, and everything it stored. Starts from an
   * empty cookie store.
   */
  async replay({ steps, get }: CookieSequence): Promise<{ sent: string; stored: unknown }> {
    const tab = this.#idle.pop();
    if (tab === undefined) throw new TypeError("more sequences at once than tabs");
    await this.#send("Storage.clearCookies", { browserContextId: tab.context });
    let chain: Hop[] = [];
    for (const { set, url, http } of steps) {
      if (http) {
        const last = chain.at(-1);
        if (last?.url.href === new URL(url).href) last.setCookies.push(set);
        else chain.push({ url: new URL(url), setCookies: [set] });
        continue;
      }
      chain.push({ url: new URL(url), setCookies: [] });
      await this.#load(tab, chain);
      // Reading waits for the write, which the next request could otherwise overtake.
      await this.#evaluate(tab, `document.cookie = ${JSON.stringify(set)}; document.cookie`);
      chain = [];
    }
    const last: Hop = { url: new URL(get.url), setCookies: [] };
    await this.#load(tab, [...chain, last]);
    const sent = get.http ? (last.cookie ?? "") : await this.#evaluate<string>(tab, "document.cookie");
    const { cookies: stored } = await this.#send("Storage.getCookies", { browserContextId: tab.context });
    this.#idle.push(tab);
    return { sent, stored };
  }

  /** What Chromium holds after it was handed `cookies` by `Storage.setCookies`, and nothing else. */
  async deliver(cookies: readonly object[]): Promise<unknown> {
    const browserContextId = this.#idle[0]?.context;
    await this.#send("Storage.clearCookies", { browserContextId });
    await this.#send("Storage.setCookies", { cookies, browserContextId });
    return (await this.#send("Storage.getCookies", { browserContextId })).cookies;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#process;
    if (child !== undefined) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      void this.#send("Browser.close", {});
      const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(timer);
    }
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  #start(plain: number, encrypted: number): void {
    const rules = [
      `MAP *:443 127.0.0.1:${encrypted}`,
      `MAP *:8443 127.0.0.1:${encrypted}`,
      `MAP * 127.0.0.1:${plain}`,
    ];
    const child = spawn(
      CHROMIUM ?? "",
      [
        ...FLAGS,
        `--host-resolver-rules=${rules.join(",")}`,
        `--user-data-dir=${this.#profile}`,
        "about:blank",
      ],
      {
        stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
        // What Chromium writes outside its profile goes there too, and so away.
        env: { PATH: process.env["PATH"], HOME: this.#profile, DBUS_SESSION_BUS_ADDRESS: "disabled:" },
      },
    );
    this.#process = child;
    let rest = "";
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (rest + chunk).split("\0");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const message = JSON.parse(part) as Message;
        if (message.id !== undefined) this.#pending.get(message.id)?.(message);
      }
    });
    (child.stdio[3] as Writable).on("error", () => {});
  }

  #send(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, ({ result, error }) => {
        this.#pending.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      const message = JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) });
      (this.#process!.stdio[3] as Writable).write(`${message}\0`);
    });
  }

  async #openTab(): Promise<Tab> {
    const { browserContextId } = await this.#send("Target.createBrowserContext", {});
    const { targetId } = await this.#send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.#send("Target.attachToTarget", { targetId, flatten: true });
    return { session: String(sessionId), context: String(browserContextId) };
  }

  /** One navigation by the browser itself, which redirects lead through every hop. */
  async #load(tab: Tab, hops: Hop[]): Promise<void> {
    const urls = hops.map((hop) => {
      const token = `hop${++this.#count}`;
      this.#hops.set(token, hop);
      const url = new URL(hop.url);
      url.searchParams.set("hop", token);
      return url.href;
    });
    for (const [at, hop] of hops.entries()) {
      const next = urls[at + 1];
      if (next !== undefined) hop.next = next;
    }
    const { errorText } = await this.#send("Page.navigate", { url: urls[0] }, tab.session);
    const failed = hops.find((hop) => hop.cookie === undefined || hop.error !== undefined);
    if (errorText !== undefined || failed !== undefined)
      throw new Error(`Cannot replay: ${String(errorText)} ${failed?.url.href} ${failed?.error ?? ""}`);
    const here = `location.href === ${JSON.stringify(urls.at(-1))}`;
    while ((await this.#evaluate(tab, here)) !== true) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  async #evaluate<T>(tab: Tab, expression: string): Promise<T> {
    const answer = await this.#send("Runtime.evaluate", { expression, returnByValue: true }, tab.session);
    return (answer.result as { value: T }).value;
  }

  async #listen(server: Server): Promise<number> {
    const encrypted = "setSecureContext" in server;
    server.on(encrypted ? "secureConnection" : "connection", (socket: Socket) =>
      this.#serve(socket, encrypted),
    );
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket)).on("error", () => {});
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Raw bytes both ways: Node's own server would refuse the very headers that are to be tested. */
  #serve(socket: Socket, encrypted: boolean): void {
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
        const head = received.subarray(0, end).toString("utf8");
        received = received.subarray(end + 4);
        socket.write(this.#answer(head, encrypted));
      }
    });
  }

  #answer(head: string, encrypted: boolean): string {
    const token = /^GET \S*[?&]hop=(hop\d+)/.exec(head)?.[1];
    const hop = this.#hops.get(token ?? "");
    if (hop === undefined) return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    this.#hops.delete(token ?? "");
    hop.cookie = /^cookie: ?([^\r\n]*)/im.exec(head)?.[1] ?? "";
    const host = /^host: ?([^\r\n]*)/im.exec(head)?.[1];
    if (host !== hop.url.host || encrypted !== (hop.url.protocol === "https:"))
      hop.error = `arrived at ${host}`;
    return [
      hop.next === undefined ? "HTTP/1.1 200 OK" : "HTTP/1.1 302 Found",
      ...(hop.next === undefined ? [] : [`Location: ${hop.next}`]),
      ...hop.setCookies.map((setCookie) => `Set-Cookie: ${setCookie}`),
      "Cache-Control: no-store",
      "Content-Type: text/html",
      "Content-Length: 15",
      "",
      "<!doctype html>",
    ].join("\r\n");
  }
}
