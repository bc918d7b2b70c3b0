import { fromBinary } from "@bufbuild/protobuf";
import anyTest, { type TestFn } from "ava";
import { type ContractMethod, toPlain } from "../../gateway/contract/index.ts";
import { nobody } from "./cases/case.ts";
import { World } from "./cases/world.ts";
import { type Doors, doorsOf } from "./support/clients.ts";
import { requestOf, send } from "./support/rest-client.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;

test.before(async (t) => {
  const service = await startTestService({ runtime: true });
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors ?? {})) door.close?.();
  await t.context.service?.close();
});

/** Where callers may send their own JSON: the method, the field, and the other required fields. */
const places: readonly [method: string, field: string, rest: object][] = [
  ["ProbeService.Echo", "payload", { name: "a" }],
  ["ProbeService.Echo", "attributes", { name: "a" }],
  ["QueueService.Enqueue", "payload", { pool_id: nobody }],
  ["QueueService.Enqueue", "attributes", { pool_id: nobody }],
  ["QueueService.Complete", "result", { pool_id: nobody, queue_item_id: nobody, lease_token: "t" }],
  ["RecipientService.CreateRecipient", "metadata", { pool_id: nobody, name: "r" }],
  ["RoutingService.Route", "attributes", { pool_id: nobody }],
];

/** The value of the field, with `number` in it, and its path. */
const shapes: readonly [of: (number: unknown) => unknown, path: string][] = [
  [(number) => ({ n: number }), ".n"],
  [(number) => ({ list: [1, [number]], "a b": 1 }), ".list[1][0]"],
  [(number) => ({ "a b": { n: number } }), '["a b"].n'],
];

const reason = "must be a finite number that a double can hold (up to 1.79e308)";

for (const [name, field, rest] of places)
  test(`${name}: given a number in ${field} that no double can hold, every door refuses it by its path`, async (t) => {
    const method = probeContract.byName.get(name)!;
    for (const [of, path] of shapes) {
      const fields = [{ field: `${field}${path}`, reason }];
      for (const text of ["1e309", "-1e309"]) {
        const body = (message: unknown) => JSON.stringify(message).replace('"@"', text);
        const message = { ...rest, [field]: of("@") };
        for (const told of await overJson(t.context.service, method, message, body))
          t.deepEqual(told, fields, `${text} ${path}`);
      }
      for (const number of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])
        for (const door of binaryDoors(t.context.doors)) {
          const outcome = await door.unary(method, { ...rest, [field]: of(number) });
          t.deepEqual(outcome.ok ? outcome.message : outcome.error.fields, fields, `${number} ${door.name}`);
        }
    }
  });

test("given a number that no double can hold in a field of type double, every door refuses it", async (t) => {
  const method = probeContract.byName.get("ProbeService.Echo")!;
  const body = (message: unknown) => JSON.stringify(message).replace('"@"', "1e309");
  const fields = [{ field: "ratio", reason }];
  for (const told of await overJson(t.context.service, method, { name: "a", ratio: "@" }, body))
    t.deepEqual(told, fields);
  for (const door of binaryDoors(t.context.doors)) {
    const outcome = await door.unary(method, { name: "a", ratio: Number.NaN });
    t.deepEqual(outcome.ok ? outcome.message : outcome.error.fields, fields, door.name);
  }
});

test("given an integer beyond 2^53 in a payload, it is stored as the nearest double and every door shows that", async (t) => {
  const { doors, service } = t.context;
  const world = new World(doors.grpc);
  const pool_id = await world.pool();
  const path = `/api/queues/${pool_id}/items`;
  const { status, text } = await send(service.ports.uws, "POST", path, '{"payload": 9007199254740993}', {});
  t.is(status, 201);
  const queue_item_id = JSON.parse(text).data.item.id as string;
  for (const door of Object.values(doors)) {
    if (door.name.includes("internal")) continue;
    const outcome = await door.unary(probeContract.byName.get("QueueService.GetItem")!, {
      pool_id,
      queue_item_id,
    });
    t.is((outcome as { message: { payload: unknown } }).message?.payload, 9_007_199_254_740_992, door.name);
  }
});

function binaryDoors(doors: Doors) {
  return [
    doors.grpc,
    doors["connect-binary"],
    doors["grpc-web"],
    doors["native-grpc"],
    doors["native-connect"],
  ];
}

/** Field errors of a body that our clients would not send, over REST and Connect JSON, on both servers. */
async function overJson(
  { ports }: TestService,
  method: ContractMethod,
  message: Record<string, unknown>,
  write: (message: unknown) => string,
): Promise<unknown[]> {
  const rest = requestOf(method, message);
  const told: unknown[] = [];
  for (const port of [ports.uws, ports.node]) {
    const answer = await send(port, rest.verb, rest.path, write(JSON.parse(rest.body!)), {});
    told.push(answer.status === 400 ? JSON.parse(answer.text).errors : answer.text);
    const connect = await send(port, "POST", method.path, write(message), {});
    const details = connect.status === 400 ? JSON.parse(connect.text).details : [];
    const bad = details.find(({ type }: { type: string }) => type === "google.rpc.BadRequest");
    told.push(bad === undefined ? connect.text : violations(bad.value));
  }
  return told;
}

function violations(base64: string): unknown {
  const desc = probeContract.registry.getMessage("google.rpc.BadRequest")!;
  const bytes = Buffer.from(base64, "base64");
  const { field_violations } = toPlain(desc, fromBinary(desc, bytes)) as {
    field_violations: { field: string; description: string }[];
  };
  return field_violations.map(({ field, description }) => ({ field, reason: description }));
}
