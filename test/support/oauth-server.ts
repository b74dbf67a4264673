/** An authorization server on loopback that keeps to the RFCs, or misbehaves as real ones do. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type OAuthService, oauthService } from "../../src/auth/oauth/service-lookup.ts";
import { http1Server, type LoopbackServer } from "./http-servers.ts";

export const CLIENT = { id: "canary-client-id", secret: "canary-client-secret" };

interface Grant {
  readonly family: number;
  readonly clientId: string;
}

interface Code extends Grant {
  readonly redirectUri: string;
  readonly challenge: string | null;
}

export class OAuthServer implements AsyncDisposable {
  #server!: LoopbackServer;
  readonly #codes = new Map<string, Code>();
  readonly #refreshTokens = new Map<string, Grant>();
  readonly #spent = new Map<string, Grant>();
  readonly #access = new Map<string, Grant>();
  readonly #ended = new Set<number>();
  readonly #devices = new Map<string, { clientId: string; answers: string[] }>();
  #families = 0;

  /** What the person at the authorization page does. */
  person: "allows" | "denies" = "allows";
  refreshTokens: "rotate" | "keep-silently" | "none" = "rotate";
  /** GitHub: forms unless JSON is asked for, and errors with status 200. */
  style: "rfc" | "github" = "rfc";
  expiresIn: number | undefined = 3600;
  idToken: string | undefined;
  email = "ann@example.org";
  /** What a device is told before it gets its tokens. */
  deviceAnswers: string[] = [];
  /** Answers a token request instead of the server, if it says so. */
  interrupt: ((form: URLSearchParams, response: ServerResponse) => boolean) | undefined;
  /** Called with each token request before it is looked at, and awaited. */
  onTokenRequest: (form: URLSearchParams) => void | Promise<void> = () => {};

  refreshes = 0;
  readonly forms: URLSearchParams[] = [];
  readonly heads: IncomingMessage["headers"][] = [];

  static async start(): Promise<OAuthServer> {
    const server = new OAuthServer();
    server.#server = await http1Server((request, response) => {
      server.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  service(more: Partial<OAuthService> = {}): OAuthService {
    const declared = oauthService({
      service: null,
      authUrl: `${this.origin}/authorize`,
      tokenUrl: `${this.origin}/token`,
      deviceUrl: `${this.origin}/device`,
      authParams: {},
    });
    return { ...declared, whoIs: { url: `${this.origin}/userinfo` }, ...more };
  }

  /** A login as if somebody had gone through the flow before. */
  grant(): { access_token: string; refresh_token: string } {
    const grant = { family: ++this.#families, clientId: CLIENT.id };
    return { access_token: this.#newAccess(grant), refresh_token: this.#newRefresh(grant) };
  }

  accepts(accessToken: string): boolean {
    const grant = this.#access.get(accessToken);
    return grant !== undefined && !this.#ended.has(grant.family);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.origin);
    if (url.pathname === "/authorize") return this.#authorize(url.searchParams, response);
    if (url.pathname === "/userinfo") {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      return send(response, this.accepts(token) ? 200 : 401, { email: this.email, echo: token });
    }
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    await once(request, "end");
    const json = request.headers["content-type"] === "application/json";
    const form = new URLSearchParams(json ? (JSON.parse(body) as Record<string, string>) : body);
    this.forms.push(form);
    this.heads.push(request.headers);
    await this.onTokenRequest(form);
    if (this.interrupt?.(form, response)) return undefined;
    const [status, answer] = url.pathname === "/device" ? this.#device(form) : this.#token(form, request);
    if (this.style === "github" && request.headers.accept !== "application/json")
      return void response
        .writeHead(200)
        .end(new URLSearchParams(answer as Record<string, string>).toString());
    return send(response, this.style === "github" ? 200 : status, answer);
  }

  #authorize(params: URLSearchParams, response: ServerResponse): void {
    const back = new URL(params.get("redirect_uri")!);
    back.searchParams.set("state", params.get("state")!);
    if (params.get("response_type") !== "code" || params.get("client_id") !== CLIENT.id) {
      return void response.writeHead(400).end();
    }
    if (this.person === "denies") back.searchParams.set("error", "access_denied");
    else {
      const code = `canary-code-${randomBytes(16).toString("hex")}`;
      const challenge = params.get("code_challenge_method") === "S256" ? params.get("code_challenge") : null;
      const redirectUri = params.get("redirect_uri")!;
      this.#codes.set(code, { family: ++this.#families, clientId: CLIENT.id, redirectUri, challenge });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { Location: back.href }).end();
  }

  #token(form: URLSearchParams, request: IncomingMessage): [number, object] {
    const basic = request.headers.authorization?.replace("Basic ", "");
    const [id, secret] =
      basic === undefined
        ? [form.get("client_id"), form.get("client_secret")]
        : Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent);
    if (id !== CLIENT.id || (secret ?? CLIENT.secret) !== CLIENT.secret)
      return [401, { error: "invalid_client" }];
    switch (form.get("grant_type")) {
      case "authorization_code":
        return this.#redeem(form);
      case "refresh_token":
        return this.#refresh(form.get("refresh_token")!);
      default:
        return this.#pollDevice(form.get("device_code")!);
    }
  }

  #redeem(form: URLSearchParams): [number, object] {
    const code = this.#codes.get(form.get("code")!);
    this.#codes.delete(form.get("code")!);
    const verified =
      code?.challenge ===
      createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
    if (
      code === undefined ||
      code.redirectUri !== form.get("redirect_uri") ||
      !(verified || code.challenge === null)
    )
      return [400, { error: this.style === "github" ? "bad_verification_code" : "invalid_grant" }];
    return [200, this.#tokens(code)];
  }

  /** The old one is refused; who shows it again has stolen it, or lost the race: the whole family ends. */
  #refresh(token: string): [number, object] {
    const reused = this.#spent.get(token);
    if (reused !== undefined) this.#ended.add(reused.family);
    const grant = this.#refreshTokens.get(token);
    if (grant === undefined || this.#ended.has(grant.family))
      return [
        400,
        { error: this.style === "github" ? "bad_refresh_token" : "invalid_grant", error_description: token },
      ];
    this.refreshes += 1;
    if (this.refreshTokens === "rotate") {
      this.#refreshTokens.delete(token);
      this.#spent.set(token, grant);
    }
    return [200, this.#tokens(grant)];
  }

  #device(form: URLSearchParams): [number, object] {
    const code = `canary-device-${randomBytes(16).toString("hex")}`;
    this.#devices.set(code, { clientId: form.get("client_id")!, answers: [...this.deviceAnswers] });
    const verification_uri = `${this.origin}/enter`;
    return [
      200,
      { device_code: code, user_code: "WDJB-MJHT", verification_uri, expires_in: 600, interval: 2 },
    ];
  }

  #pollDevice(code: string): [number, object] {
    const device = this.#devices.get(code);
    if (device === undefined) return [400, { error: "expired_token" }];
    const error = device.answers.shift();
    if (error !== undefined) return [400, { error }];
    this.#devices.delete(code);
    return [200, this.#tokens({ family: ++this.#families, clientId: CLIENT.id })];
  }

  #tokens(grant: Grant): object {
    const first =
      this.refreshTokens === "keep-silently" && this.refreshes > 0 ? undefined : this.#newRefresh(grant);
    return {
      access_token: this.#newAccess(grant),
      token_type: "bearer",
      expires_in: this.expiresIn,
      scope: "read,write",
      refresh_token: this.refreshTokens === "none" ? undefined : first,
      id_token: this.idToken,
    };
  }

  #newAccess(grant: Grant): string {
    const token = `canary-access-${randomBytes(16).toString("hex")}`;
    this.#access.set(token, grant);
    return token;
  }

  #newRefresh(grant: Grant): string {
    const token = `canary-refresh-${randomBytes(16).toString("hex")}`;
    this.#refreshTokens.set(token, grant);
    return token;
  }
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
}
