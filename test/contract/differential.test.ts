import anyTest, { type TestFn } from "ava";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Case } from "./cases/case.ts";
import { casesByArea } from "./cases/index.ts";
import { World } from "./cases/world.ts";
import { completed, type Door, type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { normal } from "./support/normal.ts";
import { play } from "./support/play.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors; others: () => Promise<unknown> }>;

test.before(async (t) => {
  const service = await startTestService({ runtime: true, tenants: true });
  const doors = doorsOf(service);
  t.context = { service, doors, others: await othersIn(new World(doors.grpc)) };
});

/** All areas share a tenant, and each changes what is its own: the first pool and the last one are never as they were. */
async function othersIn(world: World): Promise<() => Promise<unknown>> {
  const first = await world.pool();
  return async () => Promise.all([first, await world.pool()].map((pool) => world.item(pool)));
}

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors ?? {})) door.close?.();
  await t.context.service?.close();
});

/** This process has no nodes; test/cluster/nodes.test.ts covers these methods. */
const needsNodes: ReadonlySet<string> = new Set(["RuntimeService.DrainNode"]);

test("every RPC of the contract has a good and a bad case", (t) => {
  const all = Object.values(casesByArea).flat();
  const missing = probeContract.methods.flatMap(({ name }) => {
    const own = all.filter((one) => one.method === name);
    const isGood = needsNodes.has(name) || own.some((one) => one.refused === undefined);
    const good = isGood ? [] : [`${name}: no good case`];
    const bad = own.some((one) => one.refused !== undefined) ? [] : [`${name}: no bad case`];
    return [...good, ...bad];
  });
  t.deepEqual(missing, []);
  t.deepEqual(
    all.map((one) => one.method).filter((name) => !probeContract.byName.has(name)),
    [],
  );
});

for (const [area, cases] of Object.entries(casesByArea)) {
  test(`${area}: every door gives the same answer and the same error`, async (t) => {
    const { doors, others: changeOthers } = t.context;
    const seen = new Set<string>();
    for (const one of cases) {
      const method = probeContract.byName.get(one.method);
      if (method === undefined) continue;
      const kind = `${one.method} ${one.refused === undefined}`;
      const [first, ...others] = doorsFor(method, doors, !seen.has(kind));
      seen.add(kind);
      const expected = await run(first!, method, one);
      const title = `${one.method}: ${one.claim}`;
      if (one.refused === undefined) t.true(expected.ok, `${title}: ${JSON.stringify(expected)}`);
      else t.is(expected.ok ? "(an answer)" : expected.error.errorCode, one.refused, title);
      await changeOthers();
      for (const door of others)
        t.deepEqual(normal(await run(door, method, one)), normal(expected), `${title}: ${door.name}`);
    }
  });
}

/** gRPC and REST run every case; the other doors one good and one bad case of each method. */
function doorsFor(method: ContractMethod, doors: Doors, all: boolean): readonly Door[] {
  const inside = [
    doors["internal-grpc"],
    doors["internal-rest"],
    doors["internal-connect"],
    doors["internal-socket"],
  ];
  const outside = [doors.grpc, doors["rest-uws"]];
  if (all) {
    outside.push(doors["rest-node"], doors["connect-json"], doors["connect-binary"], doors["grpc-web"]);
    outside.push(doors["socket-json"], doors["socket-proto"]);
    outside.push(doors["native-grpc"], doors["native-grpc-js"], doors["native-connect"]);
  }
  const candidates = method.governance.internalOnly ? inside : outside;
  return candidates.filter((door) => (method.kind === "unary" ? door.serves(method) : streams(door, method)));
}

/** Bidirectional streams are not possible over HTTP/1.1. */
function streams(door: Door, method: ContractMethod): boolean {
  if (
    door.stream === undefined ||
    (door.name.startsWith("REST") && method.sse === undefined && method.raw === undefined)
  )
    return false;
  const isHttp1 = ["Connect JSON", "Connect binary", "gRPC-Web"].includes(door.name);
  return method.kind !== "bidi_streaming" || !isHttp1;
}

async function run(door: Door, method: ContractMethod, one: Case): Promise<Outcome> {
  const outcome = await play(door, method, one, {
    unary: (...given) => door.unary(...given),
    stream: (...given) => door.stream!(...given),
  });
  if (!outcome.ok) return outcome;
  const message = Array.isArray(outcome.message)
    ? outcome.message.map((answer) => completed(method, answer))
    : completed(method, outcome.message);
  return { ...outcome, message };
}
