import type { SkillHeaders, SkillResponse } from "../../sdk.ts";

/** How the engine writes a body: as text where it is UTF-8, which most are. */
export type WireBody = { readonly text: string } | { readonly base64: string };

export interface WireResponse {
  readonly status: number;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: WireBody;
  readonly cookies?: Readonly<Record<string, string>>;
}

class Headers extends Map<string, string> implements SkillHeaders {
  constructor(pairs: WireResponse["headers"]) {
    super();
    for (const [name, value] of pairs) {
      const before = this.get(name);
      this.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
    }
  }

  override get(name: string): string | undefined {
    return super.get(name.toLowerCase());
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }
}

export function readResponse({ status, url, headers, body, cookies = {} }: WireResponse): SkillResponse {
  return {
    status,
    url,
    ok: status >= 200 && status < 300,
    headers: new Headers(headers),
    cookies,
    text: () => textOf(body),
    json: () => JSON.parse(textOf(body)) as unknown,
    bytes: () => bytesOf(body),
  };
}

export function bytesOf(body: WireBody): Buffer<ArrayBuffer> {
  return "text" in body ? Buffer.from(body.text) : Buffer.from(body.base64, "base64");
}

function textOf(body: WireBody): string {
  return "text" in body
    ? body.text.replace(/^\uFEFF/, "")
    : Buffer.from(body.base64, "base64").toString("utf8");
}
