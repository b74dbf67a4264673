/** Set-Cookie headers in a row, and the request that shows what became of them. */
export interface CookieSequence {
  readonly seed: number;
  readonly steps: readonly { readonly set: string; readonly url: string; readonly http: boolean }[];
  readonly get: { readonly url: string; readonly http: boolean };
}

/** Hosts that can meet in one sequence, because their rules touch. */
const WORLDS = [
  "example.com www.example.com a.b.example.com other.example.com example.org",
  "example.com www.example.com WWW.Example.com b.example.com",
  "example.co.uk www.example.co.uk co.uk other.co.uk",
  "me.github.io x.me.github.io you.github.io github.io",
  "city.kobe.jp www.city.kobe.jp x.kobe.jp y.x.kobe.jp",
  "www.ck foo.ck a.foo.ck a.www.ck",
  "localhost app.localhost a.app.localhost localhost.",
  "127.0.0.1 127.0.0.2 10.0.0.1 [::1] [2001:db8::1] 192.168.1.10 [::ffff:127.0.0.1]",
  "intranet a.intranet host",
  "example.com. www.example.com. example.com com.",
  "xn--mnchen-3ya.de www.xn--mnchen-3ya.de mnchen.de",
  "a_b.example.net example.net a-b.example.net",
].map((hosts) => hosts.split(" "));

const PATHS = "/ /a /a/ /a/b /a/b/c /ab /A/b /a%20b/c /a%2Fb /a//b /x/y/z /a;b/c /a/./b /a/../x".split(" ");
const PREFIXES =
  "__Secure- __Host- __Http- __Host-Http- __secure- __HOST- __hTTp- __host-HTTP- __Host __Hos".split(" ");
const NAMES = 'a|b|A|sid|a b|"q"|é|名|$Path|a,b|a.b|secure|a\u0001b|a\tb|[x]|\u00a0'.split("|");
const VALUES =
  '1|2|3||x y|"quoted"|"a b"|a=b|==|a,b|é|値段|a\tb|a\u0001|\u007f|%00|\'s\'|\\|{}|a\u00a0b|\u2028|1 |😀|\u00a0'.split(
    "|",
  );
const SEPARATORS = "; |; |; |; |;| ; |;;|;\t|; ; ".split("|");

const PAST =
  "Thu, 01 Jan 1970 00:00:00 GMT|Wed, 31 Dec 1969 23:59:59 GMT|Fri, 07 Aug 2007 08:04:19 GMT".split("|");
const DATES = [
  "|0|-1|tomorrow|Thu, 01 Jan 1970|32 Jan 2030 00:00:00|31 Feb 2030 00:00:00|29 Feb 2027 00:00:00",
  "|29 Feb 2028 00:00:00|Sat, 15-Apr-17 21:01:60 GMT|Sat, 15-Apr-2037 24:00:00 GMT|15 Apr 2037 23:60:00",
  "|1 Jan 1600 00:00:00|1 Jan 1601 00:00:00|1 Jan 100 00:00:00|1 Jan 99999 00:00:00|1 Jan 10000 00:00:00",
  "|15 Apr 00017 10:10:10|15 Apr 69 10:10:10|15 Apr 70 10:10:10|15 Apr 68 1:1:1|15 Apr 0 1:1:1|0 Apr 30 1:1:1",
  "|10:10:10 15 Apr 2001x|15 Apr 2001 10:10:10:10|15 Apr 2001 10:10:100|15 Apr 2001 010:10:10|1x Apr 2001 1:1:1",
  "|Apr2001 15 10:10:10|15 Apr 2001 10:10|15 Apr 2001 10.10.10|15 Aprxyz 2001 1:1:1|15 4 2001 1:1:1|15Apr2001 1:1:1",
  "|15 Apr Mai 2001 1:1:1|15 Apr 2001 1:1:1 2040|15é Apr 2001 1:1:1|15 Apr 2001 1:1:1é|May 1 2 3 2001 1:1:1",
]
  .join("")
  .split("|");
const MAX_AGES =
  '0|-1|1000|100000|abc|1.5|+1000|0x10||99999999999999999999|-99999999999999999999|"1000"|1 0|00|-0|+0|1000s|99999999999999999999x|9223372036854775807|9223372036854775807x|-9223372036854775808x|0 |--1|+-1|１|007'.split(
    "|",
  );
const SAME_SITES = 'Strict|Lax|None|none|NONE||invalid|"None"|Extended|None '.split("|");
const FLAGS = "Secure Secure HttpOnly Partitioned".split(" ");
const FLAG_VALUES = "|||||=|=false| |=x".split("|");
const ODD =
  "Priority=High|Priority=low|priority=x|Version=1|Comment=x|Secur|x=\u0001|x\u0007|\u007f|=|a=b=c|é=é|x\ty=1|$Domain=x|=Secure|Secure HttpOnly".split(
    "|",
  );

type Random = () => number;

/** The same seed makes the same sequence, but for dates that are counted from today. */
export function cookieSequence(seed: number): CookieSequence {
  const random = mulberry32(seed);
  if (chance(random, 0.01)) return crowd(seed, random);
  const hosts = pick(random, WORLDS);
  const names = [pick(random, NAMES.slice(0, 4)), pick(random, NAMES.slice(0, 4)), pick(random, NAMES)];
  if (chance(random, 0.4)) names.push(pick(random, PREFIXES) + pick(random, NAMES.slice(0, 2)));
  const paths = [pick(random, PATHS), pick(random, PATHS), "/a/b"];
  const url = (): string => pageUrl(random, hosts, paths);
  const page = url();
  const steps = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
    const where = chance(random, 0.6) ? page : url();
    const http = chance(random, 0.85);
    return { set: header(random, new URL(where).hostname, names, http), url: where, http };
  });
  return { seed, steps, get: { url: chance(random, 0.7) ? page : url(), http: chance(random, 0.8) } };
}

/** More cookies than one site may have. */
function crowd(seed: number, random: Random): CookieSequence {
  const page = "https://www.example.com/";
  const priorities = ["", "; Priority=Low", "; Priority=High", "; priority=MEDIUM", "; Priority=x"];
  const partitioned = chance(random, 0.3) ? "; Partitioned; Secure" : "";
  const steps = Array.from({ length: 175 + Math.floor(random() * 90) }, (_, at) => {
    const attributes = pick(random, priorities) + pick(random, ["", "; Secure", "; Domain=example.com"]);
    const name = chance(random, 0.1) ? Math.floor(random() * (at + 1)) : at;
    const set = `c${name}=${at}${"x".repeat(at % 90)}${attributes}${partitioned}`;
    return { set, url: page, http: true };
  });
  return { seed, steps, get: { url: page, http: true } };
}

function pageUrl(random: Random, hosts: readonly string[], paths: readonly string[]): string {
  const secure = chance(random, 0.6);
  const port = chance(random, 0.1) ? (secure ? ":8443" : ":8080") : "";
  return `${secure ? "https" : "http"}://${pick(random, hosts)}${port}${pick(random, paths)}`;
}

function header(random: Random, host: string, names: readonly string[], http: boolean): string {
  const count = Math.floor(random() * random() * 6);
  const parts = [pair(random, names), ...Array.from({ length: count }, () => attribute(random, host))];
  const text = parts.join(pick(random, SEPARATORS));
  // NUL, CR and LF end a header before a jar sees it; a script can try them.
  return !http && chance(random, 0.05) ? text + pick(random, ["\0x", "\nx", "\r"]) : text;
}

function pair(random: Random, names: readonly string[]): string {
  const name = pick(random, names);
  const value = pick(random, chance(random, 0.7) ? VALUES.slice(0, 3) : VALUES);
  if (chance(random, 0.02)) return `${name}=${"v".repeat(4090 + Math.floor(random() * 12) - name.length)}`;
  if (chance(random, 0.02)) return `${name}=${"é".repeat(2045 + Math.floor(random() * 6))}`;
  if (chance(random, 0.8)) return `${name}=${value}`;
  const prefix = pick(random, PREFIXES);
  const nameless = [
    `=${value}`,
    value,
    "=",
    "",
    " ",
    ` =${value}`,
    `= ${prefix}${value}`,
    `${prefix}x`,
    `=${name}=1`,
  ];
  const spaced = [
    ` ${name} = ${value} `,
    `\t${name}\t=\t${value}\t`,
    `${name} ${value}`,
    `${name}\u000b=${value}`,
  ];
  return pick(random, [...nameless, ...spaced, name, `${name}=`, `${name}==${value}`, `"${name}=${value}"`]);
}

function attribute(random: Random, host: string): string {
  const makers = [domain, domain, path, path, expires, maxAge, flag, flag, flag, flag, sameSite, odd];
  return pick(random, makers)(random, host);
}

function domain(random: Random, host: string): string {
  const parent = host.split(".").slice(1).join(".");
  const grand = host.split(".").slice(2).join(".");
  const own = [host, parent, `.${host}`, `.${parent}`, host.toUpperCase(), ""];
  const near = [
    grand,
    `..${host}`,
    `${host}.`,
    `x.${host}`,
    `${host}:80`,
    `"${host}"`,
    ` ${host} `,
    `${host},x`,
  ];
  const far =
    "com|.com|com.|.|example.com|.example.com|www.example.com|evil.com|co.uk|github.io|localhost|127.0.0.1";
  const odd = `127.1|[::1]|münchen.de|MÜNCHEN.de|xn--mnchen-3ya.de|*.${parent}|${host} x|${host}/|%65xample.com|0x7f.1`;
  const value = pick(random, chance(random, 0.6) ? own : [...near, ...far.split("|"), ...odd.split("|")]);
  return `${cased(random, "Domain")}${assigned(random)}${value}`;
}

function path(random: Random): string {
  const long = `/${"p".repeat(1022 + Math.floor(random() * 4))}`;
  const value = pick(random, [
    ...PATHS,
    ...PATHS,
    "/",
    "/",
    "",
    "a",
    '"/"',
    "/a?b",
    "/é",
    " /a ",
    "/a/b/",
    long,
  ]);
  return `${cased(random, "Path")}${assigned(random)}${value}`;
}

function expires(random: Random): string {
  const value = pick(random, [future(random), future(random), pick(random, PAST), pick(random, DATES)]);
  return `${cased(random, "Expires")}${assigned(random)}${value}`;
}

/** A date well after today, in one of the ways servers write it. */
function future(random: Random): string {
  const date = new Date(Date.now() + 86_400_000 * (2 + Math.floor(random() * 900)));
  const text = date.toUTCString();
  const [weekday = "", day = "", month = "", year = "", time = ""] = text.split(" ");
  const short = year.slice(2);
  const dashed = [`${day}-${month}-${short} ${time}`, `${weekday} ${day}-${month}-${year} ${time} GMT`];
  const turned = [
    `${month} ${day} ${time} ${year}`,
    `${year} ${month} ${day} ${time}`,
    `${time} ${day} ${month} ${year}`,
  ];
  const odd = [`"${text}"`, `${day}/${month}\\${year} ${time}GMT`, `${day} ${month}uary ${year} 1:2:3 PST`];
  return pick(random, [
    text,
    text.toLowerCase(),
    date.toISOString(),
    date.toString(),
    ...dashed,
    ...turned,
    ...odd,
  ]);
}

function maxAge(random: Random): string {
  return `${cased(random, "Max-Age")}${assigned(random)}${pick(random, MAX_AGES)}`;
}

function flag(random: Random): string {
  return cased(random, pick(random, FLAGS)) + pick(random, FLAG_VALUES);
}

function sameSite(random: Random): string {
  return `${cased(random, "SameSite")}${assigned(random)}${pick(random, SAME_SITES)}`;
}

function odd(random: Random): string {
  const long = [`Domain=${"d".repeat(1025)}`, `x=${"y".repeat(1024)}`, `Path=/${"q".repeat(1100)}`];
  return pick(random, [...ODD, ...long]);
}

function cased(random: Random, name: string): string {
  return pick(random, [name, name, name, name.toLowerCase(), name.toUpperCase(), ` ${name}`, `${name} `]);
}

function assigned(random: Random): string {
  return pick(random, ["=", "=", "=", "=", " = ", "= ", "\t="]);
}

function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** A small generator with one number of state, so that a seed is all it takes to see a failure again. */
function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
