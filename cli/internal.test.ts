import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { runCommand } from "../test/support/cli.ts";

/** A node that answers everything with this; what it was asked is noted. */
async function startNode(t: ExecutionContext, status: number, body: unknown) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => void server.close());
  return { asked, addr: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const tenant = "00000000000000000000000DEV";
const actor = { kind: "pool", tenant_id: "T", key: "K", shard: 17, status: "isolated", failures: 6 };

test("actors are listed as an aligned table, and what an entity said stays on its line", async (t) => {
  const actors = [
    { ...actor, last_failure: "boom\n\u001b[31mred" },
    { ...actor, shard: 3, last_failure: "" },
  ];
  const { asked, addr } = await startNode(t, 200, { data: { actors, truncated: true } });
  const { code, out, err } = await runCommand([
    ...[
      "actors",
      "list",
      "--failing",
      "--kind",
      "pool",
      "--tenant-id",
      tenant,
      "--limit",
      "2",
      "--addr",
      addr,
    ],
  ]);
  t.is(code, 0, err);
  t.is(asked[0]!.url, `/api/_meta/actors?failing=true&kind=pool&tenant_id=${tenant}&limit=2`);
  t.is(asked[0]!.headers.authorization, undefined);
  const [head, first, second, ...rest] = out.split("\n");
  t.regex(head!, /^KIND +TENANT ID +KEY +SHARD +STATUS/);
  t.regex(first!, /^pool +T +K +17 +isolated .*boom \[31mred$/);
  t.regex(second!, /^pool +T +K +3 +isolated .* -$/);
  t.deepEqual(rest, ["truncated  true", ""]);
  t.is(first!.indexOf("17") + 1, second!.indexOf(" 3 ") + 1);
});

test("shards are listed for programs too, and the token comes from the option or the environment", async (t) => {
  const shards = [{ number: 0, status: "away" }];
  const { asked, addr } = await startNode(t, 200, { data: { shards } });
  const args = ["shards", "list", "-o", "json", "--addr", addr];
  const { code, out } = await runCommand(args, { SERVICE_TOKEN: "one" });
  t.is(code, 0);
  t.deepEqual(JSON.parse(out), { shards });
  await runCommand([...args, "--token", "two"], { SERVICE_TOKEN: "one" });
  t.deepEqual(
    asked.map(({ headers }) => headers.authorization),
    ["Bearer one", "Bearer two"],
  );
});

test("a refusal, a node that is away and an address that is none are told in a sentence", async (t) => {
  const { addr } = await startNode(t, 403, { errorCode: "PERMISSION_DENIED", detail: "no role" });
  const refused = await runCommand(["shards", "list", "--addr", addr]);
  t.is(refused.code, 4);
  t.is(refused.err, "service: PERMISSION_DENIED: no role\n");
  const away = await runCommand(["shards", "list", "--addr", "127.0.0.1:1"]);
  t.is(away.code, 5);
  t.regex(away.err, /no answer from 127\.0\.0\.1:1/);
  t.is((await runCommand(["shards", "list", "--addr", "here"])).code, 2);
  t.is((await runCommand(["actors"])).code, 2);
});

test("a plane that wants a certificate is told apart from one that is away: the answer says how to ask it", async (t) => {
  const server = createSecureServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => void server.close());
  const addr = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, err } = await runCommand(["shards", "list", "--addr", addr]);
  t.is(code, 5);
  t.regex(err, /server\.internal_require_mtls/);
  t.regex(err, /--cert FILE --key FILE --ca FILE/);
});
