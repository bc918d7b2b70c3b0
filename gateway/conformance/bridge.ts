import { isDeepStrictEqual } from "node:util";
import { inSandbox, type NamelessCase, reading, suite } from "./case.ts";
import { expect } from "./failures.ts";
import type { Tester } from "./tester.ts";
import type { DoorName } from "./wire.ts";

const nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const create = "PoolService.CreatePool";
const get = "PoolService.GetPool";
const doors: readonly DoorName[] = ["rest", "connect", "grpc_web", "grpc"];

/** Every door gives the same answer, or the same error with the same words. */
async function alike(
  t: Tester,
  method: string,
  message: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const first = await t.call(method, message, headers);
  for (const door of doors.slice(1)) {
    const other = await t.call(method, message, headers, door);
    expect(other.code === first.code, `${door} has code ${other.code}, REST ${first.code}`);
    if (first.code === 0)
      expect(
        isDeepStrictEqual(plain(other.message), plain(first.message)),
        `${door} answers otherwise than REST`,
      );
    else expect(other.detail === first.detail, `${door} says "${other.detail}", REST "${first.detail}"`);
  }
  return first.code;
}

function plain(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message ?? null));
}

function createdBy(door: DoorName, name: string): NamelessCase {
  return inSandbox(`what ${name} created, REST reads`, [create, get], async (t) => {
    const made = await t.ok(create, { name: "p", description: door }, {}, door);
    const read = await t.ok(get, { pool_id: made.id });
    expect(read.description === door, "REST does not read what was created");
  });
}

/** REST, Connect, gRPC-Web and gRPC are one service: one answer, one error. */
export const bridge = suite({
  id: "bridge",
  title: "REST, Connect, gRPC-Web and gRPC give one answer and one error",
  cases: {
    "answer-alike": inSandbox("a resource is the same by every door", [create, get], async (t) => {
      expect((await alike(t, get, { pool_id: await t.pool() })) === 0, "the pool was refused");
    }),
    "list-alike": inSandbox(
      "a list is the same by every door",
      [create, "RecipientService.CreateRecipient", "RecipientService.ListRecipients"],
      async (t) => {
        const pool_id = await t.pool();
        await t.recipient(pool_id);
        const code = await alike(t, "RecipientService.ListRecipients", { pool_id });
        expect(code === 0, "the list was refused");
      },
    ),
    "created-by-connect": createdBy("connect", "connect"),
    "created-by-grpc-web": createdBy("grpc_web", "grpc-web"),
    "created-by-grpc": createdBy("grpc", "grpc"),
    "idempotency-shared": inSandbox("a key holds across doors", [create], async (t) => {
      const key = { "idempotency-key": t.key() };
      const ids = [];
      for (const door of doors) ids.push((await t.ok(create, { name: "p" }, key, door)).id);
      expect(new Set(ids).size === 1, "a repeat by another door made another pool");
    }),
    integers: inSandbox(
      "a 64-bit integer is a number in REST and a string in Connect JSON",
      [create, get],
      async (t) => {
        const pool_id = await t.pool();
        const rest = await t.call(get, { pool_id });
        expect(rest.message?.record_version === 1, "REST prints no number");
        const body = JSON.stringify({ poolId: pool_id });
        const headers = { "content-type": "application/json", "connect-protocol-version": "1" };
        const answer = await t.raw("POST", "/service.api.PoolService/GetPool", headers, body);
        const { recordVersion } = JSON.parse(answer.body.toString()) as { recordVersion?: unknown };
        expect(recordVersion === "1", "Connect JSON prints no string");
      },
    ),
    "connect-get": inSandbox("a read is a Connect GET too", [create, get], async (t) => {
      const message = encodeURIComponent(JSON.stringify({ poolId: await t.pool() }));
      const path = `/service.api.PoolService/GetPool?connect=v1&encoding=json&message=${message}`;
      const { status } = await t.raw("GET", path);
      expect(status === 200, `the status is ${status}`);
    }),
    "not-found-alike": reading("NOT_FOUND is the same by every door", [get], async (t) => {
      expect((await alike(t, get, { pool_id: nobody })) === 5, "it is another code");
    }),
    "invalid-alike": reading("INVALID_ARGUMENT is the same code by every door", [get], async (t) => {
      for (const door of doors) {
        const { code } = await t.call(get, { pool_id: "x" }, {}, door);
        expect(code === 3, `${door} has code ${code}`);
      }
    }),
    "version-alike": reading("an old API version is refused by every door", [get], async (t) => {
      const code = await alike(t, get, { pool_id: nobody }, { "api-version": "1999-01-01" });
      expect(code === 3, "it is another code");
    }),
    "unknown-method": reading("a method that is not there is not found", [], async (t) => {
      const headers = { "content-type": "application/json", "connect-protocol-version": "1" };
      const { status } = await t.raw("POST", "/service.api.PoolService/NoSuchMethod", headers, "{}");
      expect(status === 404 || status === 501, `the status is ${status}`);
    }),
    "wrong-verb": reading("another verb is 405 and says which are allowed", [], async (t) => {
      const { status, headers } = await t.raw("PUT", "/api/pools");
      expect(status === 405 && headers.allow !== undefined, `the status is ${status}`);
    }),
  },
});
