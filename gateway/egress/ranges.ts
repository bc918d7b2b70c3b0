import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Where a service on the open internet cannot be: this host, private and shared networks, metadata services, groups. */
const privateNetworks = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/128",
  "::1/128",
  // Tunnels and translations, behind which any address can stand.
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

/**
 * What gives out the credentials of a machine, and what only neighbours on its link can be: no call from here is meant for
 * it. All of 169.254.0.0/16 and fe80::/10, and the metadata services of clouds that are elsewhere.
 */
const neverCalled = [
  "169.254.0.0/16",
  "fe80::/10",
  // 6to4 of 169.254.0.0/16.
  "2002:a9fe::/32",
  // Alibaba, Oracle, and the agent of Azure, whose address is a public one.
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  // AWS, Google, Oracle and Scaleway over IPv6.
  "fd00:ec2::/32",
  "fd20:ce::254",
  "fd00:c1::a9fe:a9fe",
  "fd00:42::42",
];

/** Of this machine, whatever its interfaces are. */
const loopback = ["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"];

/** Addresses of networks, by membership. */
export class Networks {
  readonly #list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address, bits] = network.split("/") as [string, string | undefined];
      const type = isIP(address) === 4 ? "ipv4" : "ipv6";
      this.#list.addSubnet(address, Number(bits ?? (type === "ipv4" ? 32 : 128)), type);
    }
  }

  has(address: string): boolean {
    const plain = embeddedIpv4(address) ?? address;
    return this.#list.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6");
  }
}

const unreachable = new Networks([...privateNetworks, ...neverCalled]);
const forbidden = new Networks(neverCalled);
const local = new Networks(loopback);

/** Not on the open internet. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 0 || unreachable.has(address);
}

/** A metadata service, or on the link only. */
export function isForbiddenAddress(address: string): boolean {
  return isIP(address) !== 0 && forbidden.has(address);
}

/** Of this machine: loopback, or of one of its interfaces. */
export function isOwnAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (local.has(address)) return true;
  const own = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return new Networks(own.map((one) => one.address.replace(/%.*$/, ""))).has(address);
}

/** The IPv4 address that an IPv4-mapped (::ffff:0:0/96), IPv4-compatible (::/96) or NAT64 (64:ff9b::/96) address stands for. */
function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = groupsOf(address);
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(":");
  const [high, low] = [groups[6]!, groups[7]!];
  const isMapped = prefix === "0:0:0:0:0:ffff" || prefix === "64:ff9b:0:0:0:0";
  const isCompatible = prefix === "0:0:0:0:0:0" && (high > 0 || low > 1);
  if (!isMapped && !isCompatible) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight groups of an IPv6 address, written out. */
function groupsOf(address: string): number[] {
  const bare = address.replace(/%.*$/, "");
  const dotted = /^(.*:)([0-9]+)\.([0-9]+)\.([0-9]+)\.([0-9]+)$/.exec(bare);
  const text = dotted ? `${dotted[1]}${hex(dotted[2]!, dotted[3]!)}:${hex(dotted[4]!, dotted[5]!)}` : bare;
  const [before, after] = text.split("::") as [string, string | undefined];
  const parse = (part: string | undefined) =>
    part ? part.split(":").map((group) => Number.parseInt(group, 16)) : [];
  const [left, right] = [parse(before), parse(after)];
  return after === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill(0), ...right];
}

function hex(high: string, low: string): string {
  return ((Number(high) << 8) | Number(low)).toString(16);
}
