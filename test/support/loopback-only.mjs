/**
 * Loaded into every Node process of a test run, workers and started services too (NODE_OPTIONS in ava.config.js): a
 * connection beyond this machine ends the process before it is made, and only names of this machine are resolved. The
 * networks that tests make themselves (`network.ts`) are open.
 */
import dns from "node:dns";
import { writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { hostname, networkInterfaces } from "node:os";

const ownNetworks = /^(sw[ls][0-9]+(-[0-9]+)?|lan|store)$/;
const ownNames = new Set(["localhost", "localhost.", hostname()]);

function isHere(address) {
  // Nearly always, and attacks open thousands of connections a second.
  if (address.startsWith("127.") || address === "::1") return true;
  const open = new net.BlockList();
  open.addSubnet("127.0.0.0", 8, "ipv4");
  open.addAddress("0.0.0.0", "ipv4");
  open.addAddress("::1", "ipv6");
  open.addAddress("::", "ipv6");
  for (const [name, addresses] of Object.entries(networkInterfaces()))
    for (const { address: own, family, cidr } of addresses) {
      const type = family.toLowerCase();
      if (ownNetworks.test(name)) open.addSubnet(own, Number(cidr.split("/")[1]), type);
      else open.addAddress(own, type);
    }
  return open.check(address, net.isIP(address) === 4 ? "ipv4" : "ipv6");
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = typeof first === "object" ? first.host : typeof args[1] === "string" ? args[1] : undefined;
  if (typeof host === "string" && net.isIP(host) !== 0 && !isHere(host)) {
    writeSync(2, `a test called ${host}: tests send nothing beyond this machine\n${new Error().stack}\n`);
    process.kill(process.pid, "SIGKILL");
  }
  return connect.apply(this, args);
};

function notFound(name) {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", hostname: name });
}

/** Spellings of an IPv4 address that the system reads without asking. */
const numeric = /^(0x[0-9a-f]+|[0-9]+)(\.(0x[0-9a-f]+|[0-9]+)){0,3}$/i;

/** A name elsewhere has no address, and no server is asked for it. */
function isElsewhere(name) {
  if (typeof name !== "string" || name === "" || net.isIP(name) !== 0) return false;
  return !ownNames.has(name.toLowerCase()) && !numeric.test(name);
}

const { lookup } = dns;
dns.lookup = (name, options, callback) => {
  if (!isElsewhere(name)) return lookup(name, options, callback);
  queueMicrotask(() => (typeof options === "function" ? options : callback)(notFound(name)));
};
const lookupPromise = dns.promises.lookup;
dns.promises.lookup = async (name, options) => {
  if (isElsewhere(name)) throw notFound(name);
  return lookupPromise(name, options);
};
/** These ask a server in any case. */
for (const name of Object.keys(dns).filter((one) => one.startsWith("resolve")))
  dns[name] = (asked, ...rest) => queueMicrotask(() => rest.at(-1)(notFound(asked)));
for (const name of Object.keys(dns.promises).filter((one) => one.startsWith("resolve")))
  dns.promises[name] = async (asked) => {
    throw notFound(asked);
  };
syncBuiltinESMExports();
