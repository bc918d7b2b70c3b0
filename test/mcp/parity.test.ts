/** Every tool, by the newest client and by the one of 2025: the same data and the same errorCode as over REST. */
import anyTest, { type TestFn } from "ava";
import { casesByArea } from "../contract/cases/index.ts";
import { World } from "../contract/cases/world.ts";
import { completed, type Door, doorsOf, type Outcome } from "../contract/support/clients.ts";
import { normal } from "../contract/support/normal.ts";
import { probeContract, startTestService, type TestService } from "../contract/support/service.ts";
import { type Assistant, assistantDoor, connects, toolName } from "./clients.ts";

interface Context {
  readonly service: TestService;
  readonly rest: Door;
  readonly assistants: readonly Assistant[];
}
const test = anyTest as TestFn<Context>;
const tools = probeContract.methods.filter(({ tool }) => tool !== undefined);
const cases = Object.values(casesByArea).flat();

test.before(async (t) => {
  const service = await startTestService({ runtime: true, tenants: true, mcp: {} });
  const at = (port: number) => `http://127.0.0.1:${port}/mcp`;
  const assistants = [
    await connects["client 2.4.0"](at(service.ports.uws)),
    await connects["sdk 1.32.2"](at(service.ports.node)),
  ];
  t.context = { service, rest: doorsOf(service)["rest-node"], assistants };
});

test.after.always(async (t) => {
  for (const assistant of t.context.assistants ?? []) await assistant.close();
  await t.context.service?.close();
});

test("every tool has a good and a bad case", (t) => {
  const lacking = tools.filter(
    ({ name }) =>
      !cases.some((one) => one.method === name && one.refused === undefined) ||
      !cases.some((one) => one.method === name && one.refused !== undefined),
  );
  t.deepEqual(lacking, []);
});

test("both clients list every tool by name, and the contract they come from", async (t) => {
  for (const assistant of t.context.assistants) {
    const listed = await assistant.tools();
    t.deepEqual(
      listed.map(({ name }) => name),
      tools.map(toolName).sort(),
      assistant.name,
    );
    for (const method of tools) {
      const shown = listed.find(({ name }) => name === toolName(method))!;
      t.is(shown.annotations?.readOnlyHint, method.tool === "read", shown.name);
      t.is("idempotency_key" in shown.inputSchema.properties!, method.tool === "trigger", shown.name);
      t.not(shown.description ?? "", "", shown.name);
    }
  }
});

for (const method of tools)
  test(`${toolName(method)}: data and errorCode are those of REST`, async (t) => {
    const { rest, assistants } = t.context;
    for (const one of cases.filter(({ method: name }) => name === method.name)) {
      const run = async (door: Door): Promise<unknown> => {
        const world = new World(door);
        const request = await one.request(world);
        const outcome = await door.unary(method, request, { ...one.headers, ...world.headers });
        return normal(comparable(outcome, method));
      };
      const expected = await run(rest);
      for (const assistant of assistants)
        t.deepEqual(await run(assistantDoor(assistant, rest)), expected, `${one.claim}: ${assistant.name}`);
    }
  });

/** What a tool tells of a refusal, and every field of an answer. */
function comparable(outcome: Outcome, method: (typeof tools)[number]): Outcome {
  if (outcome.ok) return { ...outcome, message: completed(method, outcome.message) };
  return { ...outcome, error: { ...outcome.error, retryAfterMs: undefined, explanation: undefined } };
}
