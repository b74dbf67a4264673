import { BlockList, isIPv4, isIPv6 } from "node:net";

/** `public` is anybody's; `loopback` is this machine; `closed` is everything else. */
export type AddressClass = "public" | "loopback" | "closed";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

// IANA IPv4 Special-Purpose Address Registry: all that is not globally reachable, and multicast and reserved space.
const closed4 = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  closed4.addSubnet(net, bits, "ipv4");
// Azure's metadata and DNS answer on a public address that only its own machines reach.
closed4.addAddress("168.63.129.16", "ipv4");

// IANA IPv6 Special-Purpose Address Registry, within 2000::/3; outside of it nothing is global unicast.
const closed6 = new BlockList();
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
] as const)
  closed6.addSubnet(net, bits, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/** What an address is, as a resolver or a canonical URL writes it. Anything unreadable is closed. */
export function addressClass(address: string): AddressClass {
  if (isIPv4(address)) return class4(address);
  if (!isIPv6(address) || address.includes("%")) return "closed";
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0, , , sixth = 0] = groups;
  const zeroes = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  // RFC 4291 2.5.5.2: IPv4-mapped.
  if (zeroes(0, 5) && sixth === 0xffff) return class4(embedded(groups, 6));
  if (loopback.check(address, "ipv6")) return "loopback";
  // RFC 6052: the well-known NAT64 prefix carries the address it leads to.
  if (first === 0x64 && second === 0xff9b && zeroes(2, 6)) return notLoopback(class4(embedded(groups, 6)));
  // RFC 3056: 6to4 carries the address of its router.
  if (first === 0x2002) return notLoopback(class4(dotted(second, third)));
  return global6.check(address, "ipv6") && !closed6.check(address, "ipv6") ? "public" : "closed";
}

function class4(address: string): AddressClass {
  if (loopback.check(address, "ipv4")) return "loopback";
  return closed4.check(address, "ipv4") ? "closed" : "public";
}

/** A translator's loopback is the translator's, not this machine's. */
function notLoopback(found: AddressClass): AddressClass {
  return found === "loopback" ? "closed" : found;
}

/** The eight groups; `new URL` writes an address out of every other form into the canonical one. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const parse = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return parse(head);
  const [left, right] = [parse(head), parse(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function embedded(groups: readonly number[], at: number): string {
  return dotted(groups[at] ?? 0, groups[at + 1] ?? 0);
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
