import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { assert, limits, newUlid, Random, systemTenantId } from "#base";
import type { Runtime } from "#runtime";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { casesByArea } from "./cases/index.ts";
import { World } from "./cases/world.ts";
import { byTenantProviders } from "./support/auth.ts";
import { type Door, doorsOf } from "./support/clients.ts";
import { probeContract, startTestService } from "./support/service.ts";

type Message = Record<string, unknown>;

/** Those of the contract that list: the probes' own lists have no data, and shards and entities are no data of a tenant. */
const lists = probeContract.methods.filter(
  ({ name, kind, governance }) =>
    kind === "unary" &&
    /\.List/.test(name) &&
    !governance.internalOnly &&
    !/^(Probe|Runtime)Service\./.test(name),
);

test("lists write nothing: the journals' heads stay where they were", async (t) => {
  t.true(lists.length > 35, `saw ${lists.length} lists`);
  let runtime: Runtime | undefined;
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: (started) => {
      runtime = started;
      return { external: byTenantProviders, internal: byTenantProviders };
    },
  });
  const doors = doorsOf(service);
  t.teardown(async () => {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  });
  assert(runtime !== undefined, "the service has a runtime");
  const wrote: string[] = [];
  let cursors = 0;
  for (const method of lists) {
    let moved = true;
    // What other tenants have begun goes on, and may write at the same time.
    for (let tries = 0; moved && tries < 5; tries++) {
      const isFixed = method.name.startsWith("TenantService.");
      const [filled, fresh] = isFixed ? [systemTenantId, systemTenantId] : [newTenant(), newTenant()];
      const request = await requestOf(method, as(doors.grpc, filled));
      moved = false;
      for (const tenant of [filled, fresh]) {
        const before = await quietHeads(runtime);
        const tokens = await walk(method, request, as(doors.grpc, tenant));
        moved ||= (await headsOf(runtime)) !== before;
        cursors += tokens;
      }
    }
    if (moved) wrote.push(method.name);
  }
  t.deepEqual(wrote, []);
  t.true(cursors > 20, `saw ${cursors} cursors`);
});

const random = new Random("reads write nothing");

function newTenant(): string {
  return newUlid(Date.now(), random);
}

/** A good request of this method. It is made twice, so that what a tenant has many of does not fit in a page of one. */
async function requestOf({ name }: ContractMethod, door: Door): Promise<Message> {
  const found = Object.values(casesByArea)
    .flat()
    .find((one) => one.method === name && one.refused === undefined);
  assert(found !== undefined, `there is a case of ${name}`);
  await found.request(new World(door));
  return (await found.request(new World(door))) as Message;
}

/** Reads up to three pages of one entry; returns how many cursors there were. */
async function walk(method: ContractMethod, request: Message, door: Door): Promise<number> {
  let page_token = "";
  for (let page = 0; page < 3; page++) {
    const outcome = await door.unary(method, { ...request, page_size: 1, ...(page_token && { page_token }) });
    page_token = outcome.ok ? (((outcome.message as Message).next_page_token as string) ?? "") : "";
    if (page_token === "") return page;
  }
  return 3;
}

function as(door: Door, tenant: string): Door {
  const headers = { authorization: `Bearer admin@${tenant}` };
  return {
    ...door,
    unary: (method, message, more) => door.unary(method, message, { ...more, ...headers }),
  };
}

/** What is still under way (outboxes, effects) has ended when they have not moved for a while. */
async function quietHeads(runtime: Runtime): Promise<string> {
  for (let heads = await headsOf(runtime); ; ) {
    await sleep(30);
    const now = await headsOf(runtime);
    if (now === heads) return heads;
    heads = now;
  }
}

/** The last entry of every shard's journal: where a subscriber without a cursor begins. */
async function headsOf(runtime: Runtime): Promise<string> {
  const stop = new AbortController();
  const heads = new Map<number, number>();
  const from = { tenant: systemTenantId, cursor: new Map() };
  for await (const { positions } of runtime.subscribe(from, stop.signal)) {
    for (const [shard, seq] of positions) heads.set(shard, seq);
    if (heads.size === limits.shardCount) stop.abort();
  }
  return JSON.stringify([...heads].sort(([a], [b]) => a - b));
}
