import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import test from "ava";
import { limits } from "#base";
import { type Config, loadConfig } from "../config/index.ts";
import { claim } from "./claim.ts";
import { claimAddresses, onFreePort, type Ports } from "./ports.ts";

/** The ports that are known once the addresses were claimed; they are let go. */
async function claimed(config: Config): Promise<Ports> {
  const { ports, release } = await claimAddresses(config);
  await release();
  return ports;
}

test("a free port that is taken meanwhile is replaced by another", async (t) => {
  const tried: number[] = [];
  const port = await onFreePort("127.0.0.1", async (candidate) => {
    tried.push(candidate);
    if (tried.length < 3) throw new Error("taken");
    return candidate;
  });
  t.is(port, tried[2]!);
  t.is(tried.length, 3);
});

test("who never gets a port is told why, after a number of attempts", async (t) => {
  let attempts = 0;
  const never = onFreePort("127.0.0.1", () => {
    attempts++;
    return Promise.reject(new Error("taken"));
  });
  await t.throwsAsync(never, { message: "taken" });
  t.is(attempts, limits.freePortAttemptsMax);
});

test("an address that cannot be had is refused with its setting before anything starts; port 0 is always free", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const taken = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const any = [
    "server.http_addr",
    "server.grpc_addr",
    "api.addr",
    "server.internal_addr",
    "server.metrics_addr",
  ];
  const attempt = (...set: string[]) => {
    const ports = any.map((key) => `${key}=127.0.0.1:0`);
    return claimed(loadConfig({ profile: "dev", environment: {}, set: [...ports, ...set] }).config);
  };
  for (const key of any)
    await t.throwsAsync(attempt(`${key}=${taken}`), { message: `${key}: ${taken} is in use` });
  await t.throwsAsync(attempt("api.addr=192.0.2.1:50052"), {
    message: "api.addr: 192.0.2.1:50052 is no address of this machine",
  });
  t.deepEqual(await attempt("server.grpc_addr="), {});
});

test("two settings with one address are refused, and what was tried is let go", async (t) => {
  const port = await onFreePort("127.0.0.1", (candidate) => Promise.resolve(candidate));
  const set = ["server.http_addr", "api.addr"].map((key) => `${key}=127.0.0.1:${port}`);
  const others = ["server.grpc_addr=", "server.internal_addr=", "server.metrics_addr="];
  const load = (pairs: string[]) =>
    loadConfig({ profile: "dev", environment: {}, set: [...pairs, ...others] }).config;
  await t.throwsAsync(claimed(load(set)), { message: `api.addr: 127.0.0.1:${port} is in use` });
  t.deepEqual(await claimed(load([set[0]!, "api.addr="])), { http: port });
});

test("while any port that threads share is yet to be found, the first thread opens alone", async (t) => {
  const port = await onFreePort("127.0.0.1", (candidate) => Promise.resolve(candidate));
  const load = (...pairs: string[]) =>
    loadConfig({
      profile: "dev",
      environment: {},
      set: [`server.http_addr=127.0.0.1:${port}`, "server.internal_addr=", "server.metrics_addr=", ...pairs],
    }).config;
  t.deepEqual(await claimed(load("server.grpc_addr=127.0.0.1:0", "api.addr=")), {});
  t.deepEqual(await claimed(load("server.grpc_addr=", "api.addr=127.0.0.1:0")), {});
  t.deepEqual(await claimed(load("server.grpc_addr=", "api.addr=", "server.internal_addr=127.0.0.1:0")), {});
  t.deepEqual(await claimed(load("server.grpc_addr=", "api.addr=")), { http: port });
});

test("given addresses that are claimed and not yet listened on, when another service claims one that overlaps, then it is refused until the first lets go", async (t) => {
  const port = await onFreePort("127.0.0.1", (candidate) => Promise.resolve(candidate));
  const keys = [
    "server.http_addr",
    "server.grpc_addr",
    "api.addr",
    "server.internal_addr",
    "server.metrics_addr",
  ];
  const load = (host: string, key = "server.http_addr") => {
    const none = keys.map((one) => (one === "server.http_addr" ? `${one}=127.0.0.1:0` : `${one}=`));
    return loadConfig({ profile: "dev", environment: {}, set: [...none, `${key}=${host}:${port}`] }).config;
  };
  const outcome = (config: Config) =>
    claimed(config).then(
      () => "claimed",
      (error: Error) => error.message,
    );
  for (const [first, second, isRefused] of [
    ["127.0.0.1", "127.0.0.1", true],
    ["127.0.0.1", "localhost", true],
    ["0.0.0.0", "127.0.0.1", true],
    ["127.0.0.1", "", true],
    ["[::]", "127.0.0.1", true],
    ["127.0.0.1", "127.0.0.2", false],
  ] as const) {
    const { release } = await claimAddresses(load(first));
    for (const key of keys)
      t.is(
        await outcome(load(second, key)),
        isRefused ? `${key}: ${second}:${port} is in use` : "claimed",
        `${second} after ${first}`,
      );
    await release();
    t.is(await outcome(load(second)), "claimed", second);
  }
});

test("given a free port that another service has claimed, when it is found, then another one is taken", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port, release } = await claim(server);
  t.teardown(release);
  await t.throwsAsync(claim(server), { message: /claimed by another service/ });
  server.close();
  t.not(await onFreePort("127.0.0.1", (candidate) => Promise.resolve(candidate)), port);
});
