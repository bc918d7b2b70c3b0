import test from "ava";
import { StorageError } from "#storage";
import { clientOptions } from "./client-options.ts";
import { startCassandra } from "./index.ts";

const settings = (...contactPoints: string[]) => ({
  contactPoints,
  keyspace: "any",
  localDataCenter: "dc1",
  replicationFactor: 3,
});

test("a port is read after a host name, and never from the end of an IPv6 address", async (t) => {
  const ports = [
    ["10.0.0.1", 9042],
    ["10.0.0.1:9142", 9142],
    ["cassandra.internal:9142", 9142],
    ["2001:db8::9", 9042],
    ["[2001:db8::9]:9142", 9142],
  ] as const;
  for (const [point, port] of ports)
    t.is((await clientOptions(settings(point))).protocolOptions.port, port, point);
});

test("a contact point whose name has no address: the error says so", async (t) => {
  const error = await t.throwsAsync(
    startCassandra(settings("no-such-host.invalid"), () => {}),
    { instanceOf: StorageError },
  );
  t.is(
    error?.message,
    "Cassandra cannot be reached: no Cassandra node answers (none of the names has an address)",
  );
});
