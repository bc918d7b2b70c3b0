import test from "ava";
import type { Module } from "#actors";
import { modules, testAccess } from "../../test/support/module-parts.ts";
import { loadConfig } from "../config/index.ts";
import { loadContract } from "../contract/index.ts";
import { discoveryHandlers } from "../discovery/index.ts";
import { runtimeHandlers } from "../doors/runtime-handlers.ts";
import { targetsOf } from "./targets.ts";

const contract = loadContract();
const { methods } = contract;
const { config } = loadConfig({ profile: "dev", environment: {}, set: [] });
const handlers = {
  ...discoveryHandlers({ contract, config, providers: {}, access: testAccess }),
  ...runtimeHandlers({} as never),
};

const answer = async () => ({});

async function* none(): AsyncIterable<unknown> {}

test("every method of the contract has exactly one target", (t) => {
  const targets = targetsOf({ methods, modules, handlers });
  for (const [{ name }, { type }] of targets) t.not(type, "missing", name);
});

test("a module that registers something for no method of the contract is found", (t) => {
  const names = new Set(methods.map(({ name }) => name));
  for (const { orchestrations = {}, streams = {} } of modules)
    for (const name of [...Object.keys(orchestrations), ...Object.keys(streams)])
      t.true(names.has(name), name);
});

for (const [claim, extra, reason] of [
  [
    "an entity and an orchestration",
    { orchestrations: { "PoolService.GetPool": answer } },
    "PoolService.GetPool has two targets: the entity pool, an orchestration of extra",
  ],
  [
    "orchestrations of two modules",
    { orchestrations: { "RoutingService.Route": { ask: () => ({}) as never, read: answer } } },
    "RoutingService.Route has two targets: an orchestration of pools, an orchestration of extra",
  ],
  [
    "an orchestration and a handler of the gateway",
    { orchestrations: { "MetaService.GetServices": answer } },
    "MetaService.GetServices has two targets: an orchestration of extra, a handler of the gateway",
  ],
  [
    "streams of two modules",
    { streams: { "QueueService.Work": none } },
    "QueueService.Work has two targets: a stream of pools, a stream of extra",
  ],
  [
    "a stream in the place of a unary method",
    { streams: { "RoutingService.RouteBatch": none } },
    "RoutingService.RouteBatch is unary and cannot be a stream of extra",
  ],
] as const)
  test(`a method with ${claim} stops the start, and the message names all of them`, (t) => {
    const added: Module = { name: "extra", actors: [], ...extra };
    const error = t.throws(() => targetsOf({ methods, modules: [...modules, added], handlers }));
    t.true(error?.message.includes(reason), error?.message);
  });
