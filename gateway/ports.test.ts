import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import test from "ava";
import { limits } from "#base";
import { loadConfig } from "./config/index.ts";
import { onFreePort, reserveHttpPort } from "./ports.ts";

test("a free port that somebody takes first is another one", async (t) => {
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

test("an address in use is refused by its name before anything starts; port 0 is nobody's", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reserve = (http: string) =>
    reserveHttpPort(
      loadConfig({ profile: "dev", environment: {}, set: [`server.http_addr=${http}`] }).config,
    );
  await t.throwsAsync(reserve(address), { message: `the address ${address} is in use` });
  t.deepEqual(await reserve("127.0.0.1:0"), {});
});
