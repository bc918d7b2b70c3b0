import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "ava";
import { Switchyard } from "#sdk";
import { loadContract } from "../../gateway/contract/index.ts";
import { toolsJson } from "../../gateway/discovery/mcp-tools.ts";
import { contractSha256 } from "../../sdk/generated.ts";
import { startDev } from "../process/support.ts";
import { runCommand } from "../support/cli.ts";

const sha256 = loadContract().sha256;
const id = sha256.slice(0, 12);

test("the surface, both client libraries, the tools and the command line name the contract of the service", async (t) => {
  const { readFile } = await import("node:fs/promises");
  const text = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
  t.is(JSON.parse(await text("protos/gen/surface.json")).contract_sha256, sha256);
  t.is(contractSha256, sha256);
  t.is(/^CONTRACT_SHA256 = "(\w+)"$/m.exec(await text("sdk-python/src/switchyard/_methods.py"))?.[1], sha256);
  t.is(await text("protos/gen/mcp-tools.json"), toolsJson(loadContract()));
  t.true((await runCommand(["--version"])).out.includes(`(contract ${id})`));
});

test("a server names its contract to a client that was made from another one, and to no other", async (t) => {
  const { ports } = await startDev(t);
  const address = `http://127.0.0.1:${ports.http}/api/_meta/whoami`;
  const named = async (headers: Record<string, string>) =>
    (await fetch(address, { headers })).headers.get("x-contract");
  t.is(await named({}), null);
  t.is(await named({ "x-contract": id }), null);
  t.is(await named({ "x-contract": "000000000000" }), id);
});

test("a client whose server has another contract says so once", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-contract": "000000000000" });
    response.end('{"data": {}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said: string[] = [];
  const sy = new Switchyard({ url, warn: (message) => said.push(message) });
  await sy.whoami();
  await sy.whoami();
  t.is(said.length, 1);
  t.true(said[0]!.includes("000000000000") && said[0]!.includes(id), said[0]);
  const { err } = await runCommand(["whoami", "-o", "json"], { SWITCHYARD_URL: url });
  t.is(
    err,
    `service: the server has the contract 000000000000, this client was made from ${id}; fields and methods may differ\n`,
  );
});
