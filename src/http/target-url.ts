import { DeputyError } from "../kernel/index.ts";

/**
 * The absolute URL a request goes to. Done before anything else is asked: whoever looks at a relative URL, a name in
 * Unicode or an address in octal sees another host than the one that is contacted.
 */
export function targetUrl(text: string, base: URL | null): URL {
  // The URL standard drops tabs and newlines and turns backslashes into slashes: what is read is not what is meant.
  if (/[\x00-\x20\x7f\\]/.test(text))
    throw refused("it contains a space, a control character or a backslash");
  const joined = isRelative(text) ? join(text, base) : text;
  if (!URL.canParse(joined, base?.href)) throw refused("it is not a URL");
  const url = new URL(joined, base?.href);
  const why = urlRefusal(url);
  if (why !== undefined) throw refused(why);
  url.hash = "";
  return url;
}

/** Why a URL cannot be contacted whoever asks, or undefined. */
export function urlRefusal({ protocol, username, password, hostname, port }: URL): string | undefined {
  if (protocol !== "https:" && protocol !== "http:") return "only http and https are spoken";
  if (username !== "" || password !== "") return "it has a user name or password in it";
  // `example.com.` is another host to cookies and the same one to DNS.
  if (hostname.endsWith(".") || hostname.includes("..")) return "its host has an empty label";
  return port === "0" ? "there is no port 0" : undefined;
}

function isRelative(text: string): boolean {
  return !/^[a-z][a-z\d+.-]*:/i.test(text) && !text.startsWith("//");
}

/** base_url's path is a prefix (`https://api.example.com/v1` and `/tasks`), not a folder to climb out of. */
function join(text: string, base: URL | null): string {
  if (base === null) {
    throw new DeputyError(
      "BAD_INPUT",
      "Cannot send the request: its URL is relative and there is no base_url",
      {
        hint: "Give a whole URL, or declare base_url on the connection",
      },
    );
  }
  if (text === "") return base.href;
  if (text.startsWith("?") || text.startsWith("#")) return base.origin + base.pathname + text;
  return `${base.origin}${base.pathname.replace(/\/$/, "")}/${text.replace(/^\//, "")}`;
}

function refused(why: string): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot send the request: its URL is not usable, ${why}`);
}
