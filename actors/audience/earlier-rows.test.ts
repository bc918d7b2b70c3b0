import test from "ava";
import type { RowWriter } from "#runtime";
import { fromRow } from "./delivery-row.ts";
import { shapeSteps } from "./earlier-rows.ts";
import { seal } from "./seal.ts";
import { sendBodyOf } from "./send-body.ts";
import { empty, restore, runningKey } from "./state.ts";

/** A delivery and its attempt as the row had them: members without a value are absent. */
const earlier = {
  id: "01ARZ3NDEKS000000FA1D2E3F4",
  transactionId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  subscriberId: "01ARZ3NDEKS000000F69G5FAVX",
  workflowKey: "news",
  topicKey: "",
  channel: "email",
  tier: "direct",
  endpointId: "",
  identity: "",
  metadata: {},
  endpointProvider: "",
  endpointConnection: "",
  contextKeys: [],
  status: "running",
  integrationId: "i-1",
  providerKey: "smtp",
  providerMessageId: "",
  reasonCode: "default",
  winningLayer: 0,
  generation: 1,
  attempt: 1,
  providerAttempts: 1,
  rounds: 0,
  tried: [],
  attempts: [
    {
      generation: 1,
      attempt: 1,
      integrationId: "i-1",
      providerKey: "smtp",
      startedAt: 1_700_000_000_900,
      result: "",
      code: "",
    },
  ],
  observations: 0,
  observationState: "",
  reconciliationRequired: false,
  deadLetterId: "",
  expiresAt: 1_700_000_086_400,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_900,
};

test("given a delivery stored as an object, when it is read, then it has what the object had", (t) => {
  const { up } = shapeSteps.deliveries[1];
  const row = up(earlier);
  const { attempts, ...members } = earlier;
  t.like(fromRow(row), members);
  t.deepEqual(fromRow(row).attempts, [{ ...attempts[0]!, endedAt: 0 }] as never);
  t.is(up(row), row);
});

test("given rows of attempts under way, when the entity is restored, then they are counted and the next commit replaces them", (t) => {
  const state = empty({ kind: "audience", tenant: "t", key: "p-1" });
  for (const [id, tier] of [
    ["d-1", "direct"],
    ["d-2", "broadcast"],
    ["d-3", "broadcast"],
  ])
    restore(state, { collection: "running", key: [id!], value: { tier, integrationId: "i-1" } });
  t.is(state.runningCounts.get(runningKey("i-1", "broadcast")), 2);
  const written: unknown[] = [];
  const rows = {
    put: (...row: unknown[]) => written.push(row),
    deletePrefix: (collection: string) => written.push(collection),
  } as unknown as RowWriter;
  seal(state, rows);
  t.deepEqual(written, [["running_counts", ["i-1"], [1, 2]], "running"]);
  seal(state, rows);
  t.is(written.length, 2);
});

test("given an attempt whose body was stored as an object, when it is run, then it sends what the object says", (t) => {
  const body = {
    transactionId: "t-1",
    key: "k-1",
    channel: "email",
    to: "ada@example.com",
    metadata: {},
    subscriber: {},
    integration: { id: "i-1", providerKey: "smtp", connectionId: "c", casing: "as_is", metadata: {} },
    expiresAt: 5,
  } as unknown as Parameters<typeof sendBodyOf>[0];
  t.deepEqual(sendBodyOf(body), { ...body, untilMs: 0 } as never, "at any time");
  const within = { ...body, untilMs: 7 } as typeof body;
  t.deepEqual(sendBodyOf(within), within as never, "within its slot");
});
