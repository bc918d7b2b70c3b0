import test from "ava";
import { newUlid, Random, systemTenantId } from "#base";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Case } from "./cases/case.ts";
import { casesByArea } from "./cases/index.ts";
import { World } from "./cases/world.ts";
import { byTenantProviders } from "./support/auth.ts";
import { type Door, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService } from "./support/service.ts";

type Message = Record<string, unknown>;

/** More calls in the long run: `FOREIGN_CALLS=100000 npx ava test/contract/foreign-ids.test.ts`. */
const randomCalls = Number(process.env.FOREIGN_CALLS ?? 10_000);
const atOnce = 50;
const ulid = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;

/** Two tenants over one set of entities. */
async function startTenants(t: { teardown(fn: () => Promise<void>): void }) {
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    providers: byTenantProviders,
  });
  const doors = doorsOf(service);
  t.teardown(async () => {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  });
  const create = probeContract.byName.get("TenantService.CreateTenant")!;
  const made = async (name: string) => {
    const outcome = await as(doors.grpc, `admin@${systemTenantId}`).unary(create, { name });
    return (outcome as { message: { id: string } }).message.id;
  };
  const [a, b] = [await made("a"), await made("b")];
  return { a, b, door: doors.grpc };
}

function as(door: Door, who: string): Door {
  const headers = { authorization: `Bearer ${who}` };
  return {
    ...door,
    unary: (method, message, more) => door.unary(method, message, { ...more, ...headers }),
    ...(door.stream && {
      stream: (method, messages, options) =>
        door.stream!(method, messages, { ...options, headers: { ...options?.headers, ...headers } }),
    }),
  };
}

interface Foreign {
  readonly method: ContractMethod;
  readonly request: Message;
  readonly headers: Record<string, string>;
}

/** Valid requests of tenant B, with the ids of its resources. */
async function requestsOf(tenant: string, door: Door): Promise<Foreign[]> {
  const own = as(door, `admin@${tenant}`);
  const found: Foreign[] = [];
  for (const one of Object.values(casesByArea).flat()) {
    const method = probeContract.byName.get(one.method);
    if (method === undefined || !isTried(one, method)) continue;
    const request = (await one.request(new World(own))) as Message;
    found.push({ method, request, headers: { ...one.headers } });
  }
  return found;
}

/** Tenants have their own tests; probes have no data. */
function isTried({ refused }: Case, { kind, governance, name }: ContractMethod): boolean {
  if (refused !== undefined || kind !== "unary" || governance.internalOnly) return false;
  return !/^(TenantService|ProbeService)\./.test(name);
}

function idsIn(value: unknown): string[] {
  return JSON.stringify(value)?.match(ulid) ?? [];
}

/** Texts that appear only in answers with data of the other tenant. */
function leaks(outcome: Outcome, request: Message, tenant: string, ids: ReadonlySet<string>): string[] {
  const sent = new Set(idsIn(request));
  const told = idsIn(outcome.ok ? outcome.message : outcome.error);
  return told.filter((id) => id === tenant || (ids.has(id) && !sent.has(id)));
}

// One service at a time: in a test process, modules call the methods of the service that was started last.
test.serial(
  "given ids of another tenant, then every RPC of the contract answers NOT_FOUND, as for unknown ids",
  async (t) => {
    const { a, b, door } = await startTenants(t);
    const foreign = await requestsOf(b, door);
    const ids = new Set(foreign.flatMap(({ request }) => idsIn(request)));
    const caller = as(door, `admin@${a}`);
    const tried = new Set<string>();
    for (const { method, request, headers } of foreign) {
      if (idsIn(request).length === 0) continue;
      const outcome = await caller.unary(method, request, headers);
      const title = `${method.name} ${JSON.stringify(request)}: ${JSON.stringify(outcome.ok ? outcome.message : outcome.error)}`;
      t.deepEqual(leaks(outcome, request, b, ids), [], title);
      if (acceptsAnyId.has(method.name)) {
        const unknown = await caller.unary(method, withUnknownIds(request), headers);
        t.deepEqual(codesOf(outcome), codesOf(unknown), title);
      } else t.deepEqual(codesOf(outcome), ["NOT_FOUND"], title);
      tried.add(method.name);
    }
    t.true(tried.size > 40, `tried ${tried.size} methods`);
  },
);

/**
 * A run's id is chosen by its owner: streams and events of the same run id may exist in every tenant. A filter finds
 * nothing, and a list of artifacts is refused by field.
 */
const acceptsAnyId: ReadonlySet<string> = new Set([
  "WorkflowStreamService.CreateStream",
  "WorkflowStreamService.ListStreams",
  "WorkflowWaitService.SignalRun",
  "WorkflowWaitService.WaitForEvent",
  "NotificationService.ListDeliveries",
  "TriggerSubscriptionService.ListTriggerSubscriptions",
  "PromotionService.CreateCandidate",
  "EventService.ListEvents",
]);

function withUnknownIds(request: Message): Message {
  const unknown = newUlid(Date.now(), new Random("unknown"));
  return JSON.parse(JSON.stringify(request).replace(ulid, unknown)) as Message;
}

/** The code of a refusal, or the codes of all entries of a batch. For an empty list: the code of an unknown id. */
function codesOf(outcome: Outcome): string[] {
  if (!outcome.ok) return [outcome.error.errorCode];
  const { results } = outcome.message as { results?: { error?: { error_code: string } }[] };
  const codes = (results ?? []).map(({ error }) => error?.error_code ?? "(an answer)");
  return results === undefined ? ["(an answer)"] : [...new Set(codes)];
}

test.serial(
  `given ${randomCalls} random calls with ids, cursors and keys of another tenant, then none of its data is returned or changed`,
  async (t) => {
    const { a, b, door } = await startTenants(t);
    const own = as(door, `admin@${b}`);
    const foreign = await requestsOf(b, door);
    const ids = new Set(foreign.flatMap(({ request }) => idsIn(request)));
    const lists = foreign.filter(({ method }) => method.pagination !== undefined);
    const cursors: string[] = [];
    for (const { method, request } of lists) {
      const page = await own.unary(method, { ...request, page_size: 1 });
      if (page.ok) cursors.push((page.message as { next_page_token?: string }).next_page_token ?? "");
    }
    const before = await told(own, lists);
    const random = new Random("foreign ids");
    const all = [...ids];
    const caller = as(door, `admin@${a}`);
    let sent = 0;
    while (sent < randomCalls) {
      const calls = Array.from({ length: Math.min(atOnce, randomCalls - sent) }, async () => {
        const { method, request, headers } = random.pick(foreign);
        const mixed = mix(request, random, all);
        if (method.pagination !== undefined && random.int(2) === 0) mixed.page_token = random.pick(cursors);
        const key = random.int(3) === 0 ? { "idempotency-key": `k${random.int(20)}` } : undefined;
        const outcome = await caller.unary(method, mixed, { ...headers, ...key });
        const found = leaks(outcome, mixed, b, ids);
        if (found.length > 0) t.fail(`${method.name} ${JSON.stringify(mixed)} told ${found}`);
        const { total } = (outcome.ok ? outcome.message : {}) as { total?: number };
        if (total !== undefined && total > 0 && !mayHaveOwn(method.name))
          t.fail(`${method.name} ${JSON.stringify(mixed)} counts ${total}`);
      });
      await Promise.all(calls);
      sent += calls.length;
    }
    t.deepEqual(await told(own, lists), before, "tenant B has what it had");
    t.pass();
  },
);

/** Now and then replaces an id by another one. */
function mix(request: Message, random: Random, ids: readonly string[]): Message {
  const text = JSON.stringify(request).replaceAll(ulid, (id) =>
    random.int(3) === 0 ? random.pick(ids) : id,
  );
  return JSON.parse(text) as Message;
}

async function told(door: Door, lists: readonly Foreign[]): Promise<unknown[]> {
  const pages = await Promise.all(lists.map(({ method, request }) => door.unary(method, request)));
  return pages.map((page) => (page.ok ? (page.message as { total?: number }).total : page.error.errorCode));
}

/** Lists that are the same for every tenant. */
const common: ReadonlySet<string> = new Set([
  "CapabilityService.ListCapabilities",
  "ConnectorService.ListProviders",
  "ConnectorService.ListActions",
  "ConnectorService.ListTriggers",
  "OperationalHealthService.ListScopes",
]);

const makes = /\.(?:Create|Upsert|Put|Trigger|Run)/;

/** Lists of resources that the random calls may have created in their own tenant. */
function mayHaveOwn(list: string): boolean {
  if (common.has(list) || list === "QueueControlService.ListQueues") return true;
  const service = list.split(".")[0]!;
  return [...probeContract.byName.keys()].some((name) => makes.test(name) && name.startsWith(`${service}.`));
}
