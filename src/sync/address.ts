import { isIP } from "node:net";
import { DeputyError } from "../kernel/index.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where a sink listens, and a pairing waits, when nobody says otherwise. */
export const DEFAULT_PORT = 4737;

/** `ADDRESS`, `ADDRESS:PORT` or `[V6]:PORT`. Never all addresses at once: the owner says which network it is for. */
export function parseListen(text: string = "127.0.0.1"): Address {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:\s]+)|([0-9a-f:]+:[0-9a-f:]*))(?::(\d{1,5}))?$/i.exec(text.trim());
  const written = match?.[1] ?? match?.[2] ?? match?.[3] ?? "";
  const host = written === "localhost" ? "127.0.0.1" : written;
  const port = match?.[4] === undefined ? DEFAULT_PORT : Number(match[4]);
  if (isIP(host) === 0 || port > 65_535) {
    throw new DeputyError("BAD_INPUT", "Cannot listen there: it is not an address of this machine", {
      hint: `Give one such as 127.0.0.1:${DEFAULT_PORT} or 192.168.1.20:${DEFAULT_PORT}`,
    });
  }
  if (/^[0.]+$/.test(host) || /^[0:]+$/.test(host)) {
    throw new DeputyError("BAD_INPUT", "Deputy does not listen on every network at once", {
      hint: "Name one address of this machine: that of your LAN or tailnet, or 127.0.0.1.",
    });
  }
  return { host, port };
}

export function addressUrl({ host, port }: Address, scheme: "http" | "https" = "http"): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** A peer's address as a person types it: a URL, or a host with or without its port. */
export function parsePeerUrl(text: string): string {
  const given = text.trim();
  const url = /^https?:\/\//i.test(given) ? given : `http://${given}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.username !== "" || parsed.password !== "" || parsed.pathname !== "/") {
    throw new DeputyError("BAD_INPUT", "Cannot use the peer's address: it is not a URL of a machine", {
      hint: `For example http://192.168.1.20:${DEFAULT_PORT}`,
    });
  }
  const bare = /^http:\/\/(\[[^\]]+\]|[^:/]+)\/?$/i.test(url);
  if (bare) parsed.port = String(DEFAULT_PORT);
  return parsed.origin;
}
