import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import { type Door, type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;

test.before(async (t) => {
  const service = await startTestService();
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors) as Door[]) door.close?.();
  await t.context.service.close();
});

const method = (name: string) => probeContract.methods.find((one) => one.name === `ProbeService.${name}`)!;
const large = "x".repeat(limits.bodyBytesMax + 1);

test("a message that is too large is refused with the same error by every door", async (t) => {
  for (const door of Object.values(t.context.doors))
    told(t, door, await door.unary(method("Echo"), { name: large }));
});

test("a message of a stream that is too large is refused with the same code, the first and a later one", async (t) => {
  const { doors } = t.context;
  for (const door of [doors.grpc, doors["native-grpc"], doors["native-connect"]])
    for (const messages of [[{ text: large }], [{ text: "a" }, { text: large }]])
      t.is(codeOf(await door.stream!(method("Chat"), messages)), "PAYLOAD_TOO_LARGE", door.name);
});

function told(
  t: { like(value: unknown, like: object, message: string): void },
  door: Door,
  outcome: Outcome,
) {
  const detail = `at most ${limits.bodyBytesMax} bytes of body are taken`;
  t.like(outcome, { ok: false, error: { errorCode: "PAYLOAD_TOO_LARGE", detail } }, door.name);
}

function codeOf(outcome: Outcome): string {
  return outcome.ok ? "OK" : outcome.error.errorCode;
}
