import { readFileSync } from "node:fs";
import test from "ava";
import { loadContract } from "../contract/index.ts";
import { surfaceJson } from "./surface.ts";

const written = readFileSync(new URL("../../protos/gen/surface.json", import.meta.url), "utf8");
const surface = JSON.parse(written);
const methodOf = (id: string) => surface.methods.find((method: { id: string }) => method.id === id);

test("protos/gen/surface.json is what the contract gives", (t) => {
  t.is(written, surfaceJson(loadContract()));
});

test("a method says how it is called, by whom, and whether it may be repeated", (t) => {
  const { rest, permissions, repeat, cli, request, response } = methodOf("PoolService.CreatePool");
  t.deepEqual(rest, { verb: "POST", path: "/api/pools", body: "*" });
  t.deepEqual(permissions, ["pool:write"]);
  t.is(repeat, "key");
  t.deepEqual([cli.group, cli.verb], ["pools", "create"]);
  t.deepEqual([request, response], ["CreatePoolRequest", "Pool"]);
  t.is(methodOf("QueueService.Complete").repeat, "token");
  t.is(methodOf("AdmissionService.PreviewAdmission").repeat, "no_effect");
  t.is(methodOf("PoolService.GetPool").repeat, "read");
});

test("every schema that is referred to is there", (t) => {
  const named = [...written.matchAll(/"#\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
  const roots = surface.methods.flatMap((method: { request?: string; response?: string }) => [
    method.request,
    method.response,
  ]);
  for (const name of new Set([...named, ...roots]))
    if (name !== undefined) t.truthy(surface.schemas[name], name);
});

test("a field that holds the id of something with a name says where the name is found", (t) => {
  const refs = (message: string) => surface.schemas[message].properties;
  t.deepEqual(refs("ListRulesRequest").pool_id.ref, { list: "PoolService.ListPools", by: "name" });
  t.deepEqual(refs("GetApiKeyRequest").id.ref, { list: "ApiKeyService.ListApiKeys", by: "name" });
  t.is(refs("GetExperimentGroupRequest").id.ref.by, "name");
});

test("no stream, internal method or method about secrets is a tool", (t) => {
  const tools = surface.methods.filter(({ mcp }: { mcp?: string }) => mcp !== undefined);
  t.true(tools.length >= 40, String(tools.length));
  for (const { plane, kind } of tools) t.deepEqual([plane, kind], ["external", "unary"]);
});
