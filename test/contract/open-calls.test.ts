import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials as grpcCredentials, Metadata, status } from "@grpc/grpc-js";
import anyTest, { type ExecutionContext, type TestFn } from "ava";
import { limits } from "#base";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { eventually } from "../support/eventually.ts";
import { casesNeeding } from "../support/needing.ts";
import { nobody } from "./cases/case.ts";
import type { Door, Outcome } from "./support/clients.ts";
import { type Credential, openWorld, type World } from "./support/open-calls.ts";
import { probeContract } from "./support/service.ts";

/**
 * An open call ends when its caller would not be let in any more: every credential × every way to lose it, with every streaming
 * method open on every door that serves it, and every long poll.
 */
const test = anyTest as TestFn<World>;

interface Loss {
  readonly name: string;
  readonly code: (credential: Credential) => string;
  /** Absent: it waits for the end of the credential. */
  readonly happen?: (credential: Credential, world: World, tenant: string) => Promise<void> | void;
}

const losses: readonly Loss[] = [
  {
    name: "is revoked",
    code: ({ revokedAs = "UNAUTHENTICATED" }) => revokedAs,
    happen: ({ revoke }) => revoke(),
  },
  { name: "expires", code: () => "UNAUTHENTICATED" },
  {
    name: "is of a tenant that is suspended",
    code: () => "PERMISSION_DENIED",
    happen: (_credential, { suspend }, tenant) => suspend(tenant),
  },
  { name: "loses its roles", code: () => "PERMISSION_DENIED", happen: ({ strip }) => strip() },
];

/** Far enough to open the calls on a busy machine, near enough to wait for. */
const shortMs = 6_000;

const kinds = [
  "API key",
  "user token",
  "service token",
  "sandbox key",
  "client certificate",
  "token beside a certificate",
] as const satisfies readonly (keyof World["credentials"])[];

interface Opened {
  readonly name: string;
  readonly ends: Promise<Outcome>;
}

function cases(): void {
  test.before(async (t) => {
    t.context = await openWorld();
  });
  test.after.always((t) => t.context.close());

  // Those that wait for a time wait together.
  for (const kind of kinds)
    for (const loss of losses)
      (loss.happen === undefined ? test : test.serial)(
        `given open streams and long polls on every door, when the ${kind} ${loss.name}, then each ends with its code`,
        async (t) => {
          const world = t.context;
          const tenant = await world.newTenant();
          const lives = loss.happen === undefined ? shortMs : 3_600_000;
          const credential = await world.credentials[kind]({ tenant, expiresAtMs: Date.now() + lives });
          world.calls.silent.add(tenant);
          const calls = [...streamsOf(t, credential), ...pollsOf(t, credential)];
          const ended: (readonly [name: string, code: string])[] = [];
          const end = async ({ name, ends }: Opened) => void ended.push([name, await endOf(ends)]);
          const all = Promise.all(calls.map(end));
          if (loss.happen !== undefined) {
            await eventually("all are open", () => {
              if (ended.length > 0) throw new Error(`ended before: ${ended}`);
              return world.calls.of(tenant) === calls.length || undefined;
            });
            const lostMs = performance.now();
            await loss.happen(credential, world, tenant);
            await all;
            t.log(`${calls.length} calls ended ${Math.round(performance.now() - lostMs)} ms later`);
          }
          await all;
          const code = loss.code(credential);
          // On a busy machine the last calls begin after the end, when a certificate gets no connection at all.
          const isLate = (got: string) => got === noConnection && loss.happen === undefined;
          const told = ended.map(([name, got]) => [name, isLate(got) ? code : got]);
          t.deepEqual(Object.fromEntries(told), Object.fromEntries(calls.map(({ name }) => [name, code])));
          t.true(world.calls.of(tenant) > 0, "some were open before");
        },
      );

  test.serial(
    "given long polls that wait, when their API key is revoked, then each ends with UNAUTHENTICATED and takes nothing later",
    async (t) => {
      const world = t.context;
      const { doors } = world;
      const tenant = await world.newTenant();
      const platform = (method: string, request: object) => world.asPlatform(method, request, tenant);
      const { id: pool_id } = await platform("PoolService.CreatePool", { name: "p" });
      const { id: recipient_id } = await platform("RecipientService.CreateRecipient", { pool_id, name: "r" });
      const { headers, revoke } = await world.credentials["API key"](lasting(tenant));
      const requests = [
        ["QueueService.Claim", { pool_id, recipient_id, wait_seconds: 20 }],
        ["WorkflowWaitService.WaitForEvent", { run_id: nobody, event_key: "e", wait_ms: 20_000 }],
      ] as const;
      const through = [doors["rest-uws"], doors["rest-node"], doors["connect-json"], doors.grpc];
      const ends = through.flatMap((door) =>
        requests.map(([name, request]) => door.unary(probeContract.byName.get(name)!, request, headers)),
      );
      await eventually("all of them wait", () => world.calls.of(tenant) === ends.length || undefined);
      await revoke();
      for (const outcome of await Promise.all(ends)) t.is(codeOf(outcome), "UNAUTHENTICATED");
      await platform("QueueService.Enqueue", { pool_id, payload: {} });
      t.like(await platform("QueueService.ListItems", { pool_id }), { items: [{ state: "ready" }] });
    },
  );

  for (const [server, path] of [
    ["uws", "/api/queues/{pool_id}/items"],
    ["node", "/api/queues/{pool_id}/items"],
    ["uws", "/service.api.QueueService/Enqueue"],
  ] as const)
    test.serial(
      `given a call to ${path} on ${server} whose body comes slowly, when its API key is revoked, then it is refused and changes nothing`,
      async (t) => {
        const world = t.context;
        const tenant = await world.newTenant();
        const { id: pool_id } = await world.asPlatform("PoolService.CreatePool", { name: "p" }, tenant);
        const { headers, revoke } = await world.credentials["API key"](lasting(tenant));
        const body = path.startsWith("/api") ? { payload: 1 } : { pool_id, payload: 1 };
        const text = JSON.stringify(body);
        const type = { "content-type": "application/json", "content-length": String(text.length) };
        const target = path.replace("{pool_id}", pool_id as string);
        const sent = request({
          host: "127.0.0.1",
          port: world.ports[server],
          method: "POST",
          path: target,
          headers: { ...headers, ...type },
        });
        const answered = new Promise<number>((resolve, reject) => {
          sent.on("response", (response) => resolve(response.resume().statusCode!)).on("error", reject);
        });
        sent.write(text.slice(0, 4));
        await eventually("it is let in", () => world.calls.of(tenant) === 1 || undefined);
        await revoke();
        await sleep(limits.admittedMs + 100);
        sent.end(text.slice(4));
        t.is(await answered, 401);
        t.like(await world.asPlatform("QueueService.ListItems", { pool_id }, tenant), { items: [] });
      },
    );

  test.serial(
    "given an open reflection stream, when its API key is revoked, then it ends with UNAUTHENTICATED",
    async (t) => {
      const world = t.context;
      const tenant = await world.newTenant();
      const { headers, revoke } = await world.credentials["API key"](lasting(tenant));
      const client = new Client(`127.0.0.1:${world.ports.grpc}`, grpcCredentials.createInsecure());
      t.teardown(() => client.close());
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      const asIs = (bytes: Buffer) => bytes;
      const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
      const stream = client.makeBidiStreamRequest(path, asIs, asIs, metadata);
      const failed = new Promise<{ code: number }>((resolve) => stream.on("error", resolve as never));
      const answered = new Promise((resolve) => stream.once("data", resolve));
      // list_services
      stream.write(Buffer.from([0x3a, 0x00]));
      await answered;
      await revoke();
      t.is((await failed).code, status.UNAUTHENTICATED);
    },
  );
}

const lasting = (tenant: string) => ({ tenant, expiresAtMs: Date.now() + 3_600_000 });

/** What each streaming method is first sent; the test fails for a method that is not here. */
const firsts: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  "EventService.Subscribe": [{}],
  "InboxService.WatchInbox": [{ subscriber_id: nobody }],
  "LiveService.WatchPools": [{ pool_ids: [nobody] }],
  "QueueService.Work": [],
  "RoutingService.RouteStream": [],
  "WorkflowStreamService.Subscribe": [{ run_id: nobody, stream_id: nobody }],
  "WorkflowStreamService.UploadObject": [{ run_id: nobody, stream_id: nobody, object_id: nobody }],
  "WorkflowStreamService.GetObject": [{ run_id: nobody, stream_id: nobody, object_id: nobody }],
};

/** Those that only read, and so may be told that they were refused. */
const polls: Readonly<Record<string, Record<string, unknown>>> = {
  "ConnectorService.GetExecution": { execution_id: nobody, wait_seconds: 20 },
  "QueueService.AwaitItem": { pool_id: nobody, queue_item_id: nobody, wait_ms: 20_000 },
  "QueueService.Claim": { pool_id: nobody, recipient_id: nobody, wait_seconds: 20 },
  "WorkflowStreamService.ReadRecords": { run_id: nobody, stream_id: nobody, wait_ms: 20_000 },
  "WorkflowWaitService.Await": { run_id: nobody, event_key: "e", wait_ms: 20_000 },
  "WorkflowWaitService.WaitForEvent": { run_id: nobody, event_key: "e", wait_ms: 20_000 },
};

/** Of HTTP/1.1, which has no conversations. */
const halfDuplex = /^(?!.*:5005|.*internal)(?:Connect|gRPC-Web)|gRPC-Web text/;

function streamsOf(
  t: ExecutionContext<World>,
  { doors, headers }: Pick<Credential, "doors" | "headers">,
): Opened[] {
  const methods = methodsFor(doors).filter(({ kind }) => kind !== "unary");
  return methods.flatMap((method) => {
    const first = firsts[method.name];
    t.truthy(first, method.name);
    return doors
      .filter((door) => streams(door, method))
      .map((door) => ({
        name: `${method.name} on ${door.name}`,
        ends: door.stream!(method, first!, { headers }),
      }));
  });
}

function streams({ name, stream }: Door, { kind, rest, sse, raw }: ContractMethod): boolean {
  if (name.startsWith("REST")) return rest.length > 0 && (sse !== undefined || raw !== undefined);
  return stream !== undefined && (kind !== "bidi_streaming" || !halfDuplex.test(name));
}

function pollsOf(
  t: ExecutionContext<World>,
  { doors, headers }: Pick<Credential, "doors" | "headers">,
): Opened[] {
  const methods = methodsFor(doors).filter(({ wait, audit }) => wait !== undefined && audit === "none");
  return methods.flatMap((method) => {
    const first = polls[method.name];
    t.truthy(first, method.name);
    return doors
      .filter((door) => door.serves(method))
      .map((door) => ({ name: `${method.name} on ${door.name}`, ends: door.unary(method, first, headers) }));
  });
}

/** Of the plane that these doors belong to. */
function methodsFor([door]: readonly Door[]): readonly ContractMethod[] {
  const isInternal = door!.name.endsWith("internal");
  return [...probeContract.methods].filter(
    ({ name, governance }) => !name.startsWith("ProbeService.") && (isInternal || !governance.internalOnly),
  );
}

/** A call that goes on has no end to wait for. */
async function endOf(ends: Promise<Outcome>): Promise<string> {
  const stillOpen = sleep(60_000, "still open", { ref: false });
  return Promise.race([ends.then(codeOf, () => noConnection), stillOpen]);
}

const noConnection = "no connection";

function codeOf(outcome: Outcome): string {
  return outcome.ok ? "OK" : outcome.error.errorCode;
}

casesNeeding("open calls", ["openssl"], cases);
