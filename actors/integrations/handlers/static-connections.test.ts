import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type ExecutionContext } from "ava";
import { limits, RefusalError } from "#base";
import { StaticConnections } from "./static-connections.ts";

const tenant = "01JTENANT00000000000000000";

function start(t: ExecutionContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "connections-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "connections.yaml");
  let now = 1_000_000;
  const clock = { now: () => now } as never;
  const connections = new StaticConnections(file, clock, { SECRET: "s3cret" });
  const pass = (ms: number) => {
    now += ms;
  };
  const write = (text: string) => writeFileSync(file, text);
  return { connections, write, pass };
}

const good = (host: string) =>
  `tenants:\n  ${tenant}:\n    mail: {provider: smtp, config: {host: ${host}}, credential: {password: "\${SECRET}"}}\n`;

test("given a file, when a connection is asked for, then it has its secrets, and other tenants have none", async (t) => {
  const { connections, write } = start(t);
  write(good("a"));
  t.deepEqual(await connections.get(tenant, "mail"), {
    providerKey: "smtp",
    config: { host: "a" },
    credential: { password: "s3cret" },
  });
  t.is(await connections.get(tenant, "other"), undefined);
  t.is(await connections.get("01JTENANT00000000000000001", "mail"), undefined);
});

test("given a file that changes, when 10 s have passed, then it is read again; a broken one leaves what was read", async (t) => {
  const { connections, write, pass } = start(t);
  write(good("a"));
  await connections.get(tenant, "mail");
  write(good("b"));
  t.like(await connections.get(tenant, "mail"), { config: { host: "a" } });
  pass(limits.connectionsFileMs);
  t.like(await connections.get(tenant, "mail"), { config: { host: "b" } });
  write("tenants: [");
  pass(limits.connectionsFileMs);
  t.like(await connections.get(tenant, "mail"), { config: { host: "b" } });
});

test("given a file that was never readable, when a connection is asked for, then the refusal says why", async (t) => {
  const { connections, write } = start(t);
  for (const [text, reason] of [
    ["tenants: []", /tenants must be an object/],
    [`tenants: {${tenant}: {mail: {}}}`, /mail\.provider must be a text/],
    [good("a").replace("SECRET", "MISSING"), /MISSING is not set/],
  ] as const) {
    write(text);
    const error = await t.throwsAsync(connections.get(tenant, "mail"), { instanceOf: RefusalError });
    t.regex(error!.message, reason);
  }
  write(good("a"));
  t.like(await connections.get(tenant, "mail"), { config: { host: "a" } });
});
