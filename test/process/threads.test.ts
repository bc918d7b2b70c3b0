import { readdirSync, readFileSync } from "node:fs";
import test from "ava";
import { RawConnection } from "../http/raw.ts";
import { runService, startDev } from "./support.ts";

const list = "GET /api/pools HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

test.serial("two threads share the port, and /metrics adds up the counters of both", async (t) => {
  const service = await startDev(t, ["--set", "server.workers=2"]);
  const connections = Array.from({ length: 24 }, () => new RawConnection(service.ports.http));
  const answers = await Promise.all(connections.map((one) => one.write(list).answer({ waitMs: 60_000 })));
  for (const connection of connections) connection.destroy();
  t.true(answers.every((answer) => answer?.status === 200));
  for (const port of [service.ports.http, service.ports.metrics]) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    t.regex(text, /_count\{method="PoolService.ListPools",protocol="rest",plane="external",code="OK"\} 24\n/);
    t.regex(text, /\nservice_shards_ready 256\n/);
    t.regex(text, /\nprocess_resident_memory_bytes /);
  }
  const addr = ["--addr", `127.0.0.1:${service.ports.internal}`, "-o", "json"];
  const { shards } = JSON.parse((await runService(["shards", "list", ...addr])).stdout) as {
    shards: { thread: number }[];
  };
  t.is(shards.length, 256);
  t.deepEqual(new Set(shards.map(({ thread }) => thread)), new Set([0, 1]));
  const listed = await runService(["actors", "list", "--failing", ...addr]);
  t.like(JSON.parse(listed.stdout), { actors: [] });
  const ready = await fetch(`http://127.0.0.1:${service.ports.metrics}/readyz`, {
    headers: { host: "10.1.2.3" },
  });
  t.is(ready.status, 200);
  t.like(await ready.json(), { ready: true, components: { queue: { status: "healthy" } } });
  if (process.platform === "linux") {
    const tasks = `/proc/${service.pid}/task`;
    const names = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/comm`, "utf8").trim());
    for (const name of ["worker-0", "worker-1", "tables-writer"])
      t.is(names.filter((n) => n === name).length, 1);
  }
  service.signal("SIGTERM");
  t.is((await service.ended).code, 0);
});

test.serial("the same service runs on node:http", async (t) => {
  const service = await startDev(t, ["--set", "server.workers=2", "--set", "server.http_server=node"]);
  const connection = new RawConnection(service.ports.http);
  const answer = await connection.write(list).answer({ waitMs: 60_000 });
  t.is(answer?.status, 200);
  t.false(answer!.headers.has("uwebsockets"));
  service.signal("SIGTERM");
  t.is((await service.ended).code, 0);
  t.true(await connection.ended());
});
