import {
  type Cookie,
  cookiesFromNetscape,
  cookiesFromStorageState,
  cookiesToNetscape,
  cookiesToStorageState,
  hostMatches,
  parseCookie,
} from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { mergeCookies, type Rendered, type Task, type WriteOf } from "./file-format.ts";
import { SEAL_MARK } from "./sidecar-seal.ts";

/** What session.json says of a cookie without an end. */
const NO_END = "2099-12-31T23:59:59Z";

export function netscape(task: Task): Rendered {
  const there = orNothing(() => cookiesFromNetscape(task.old ?? "", { now: task.now }).cookies);
  const merged = mergeCookies(there, task, (a, b) => a.value === b.value && seconds(a) === seconds(b));
  const text = merged.changed ? cookiesToNetscape(merged.cookies).text : (task.old ?? "");
  return { ...merged, text };
}

export function storageState(task: Task): Rendered {
  const there = orNothing(() => cookiesFromStorageState(task.old ?? "{}", { now: task.now }).cookies);
  const merged = mergeCookies(there, task, sameState);
  if (!merged.changed) return { ...merged, text: task.old ?? "" };
  const written = cookiesToStorageState(merged.cookies, { now: task.now }).text;
  const { cookies } = JSON.parse(written) as { cookies: unknown };
  const [old = {}] = orNothing(() => [JSON.parse(task.old ?? "{}") as object]);
  return { ...merged, text: `${JSON.stringify({ origins: [], ...old, cookies }, null, 2)}\n` };
}

export function sessionJson(task: Task, { networks }: WriteOf<"session-json">): Rendered {
  const { seal, now } = task;
  const [before = {}] = orNothing(() => [JSON.parse(task.old ?? "{}") as Record<string, unknown>]);
  const there = Object.keys(networks)
    .flatMap((network) => (Array.isArray(before[network]) ? (before[network] as unknown[]) : []))
    .flatMap((entry) => orNothing(() => [fromEntry(entry, now, (text) => seal?.open(text) ?? "")]));
  const merged = mergeCookies(there, task, (a, b) => a.value === b.value && endOf(a) === endOf(b));
  if (!merged.changed) return { ...merged, text: task.old ?? "" };
  const lists = Object.entries(networks).map(([network, hosts]) => [
    network,
    merged.cookies
      .filter(({ domain }) => hosts.some((pattern) => hostMatches(pattern, domain)))
      .map((cookie) => ({ ...toEntry(cookie), value: seal?.seal(cookie.value) ?? cookie.value })),
  ]);
  const whole = { version: 1, updated_at: new Date(now).toISOString(), ...Object.fromEntries(lists) };
  return { ...merged, text: `${JSON.stringify(whole, null, 2)}\n` };
}

function toEntry(cookie: Cookie) {
  const { name, value, path } = cookie;
  const domain = cookie.hostOnly ? cookie.domain : `.${cookie.domain}`;
  return { name, value, domain, path, expires: endOf(cookie) };
}

function fromEntry(entry: unknown, now: number, open: (sealed: string) => string): Cookie {
  const { name, value, domain, path, expires } = entry as Record<keyof ReturnType<typeof toEntry>, string>;
  return parseCookie(
    {
      name,
      value: value.startsWith(SEAL_MARK) ? open(value) : value,
      domain,
      hostOnly: !domain.startsWith("."),
      path,
      expires: expires === NO_END ? null : Date.parse(expires),
    },
    { now },
  );
}

function endOf({ expires }: Cookie): string {
  return expires === null ? NO_END : new Date(expires).toISOString();
}

function seconds({ expires }: Cookie): number {
  return expires === null ? 0 : Math.floor(expires / 1000);
}

function sameState(a: Cookie, b: Cookie): boolean {
  const flags = ({ secure, httpOnly, sameSite, expires }: Cookie) =>
    [secure, httpOnly, sameSite, expires].join();
  return a.value === b.value && flags(a) === flags(b);
}

/** A file others wrote may hold anything: what cannot be read is replaced. */
function orNothing<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof DeputyError || error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}
