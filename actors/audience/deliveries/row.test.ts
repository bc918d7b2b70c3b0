import test from "ava";
import type { Delivery } from "./record.ts";
import { fromRow, toRow } from "./row.ts";

const queued: Delivery = {
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
  status: "queued",
  integrationId: "",
  waitsFor: "",
  providerKey: "",
  providerMessageId: "",
  failure: null,
  reasonCode: "default",
  winningLayer: 0,
  retryAt: 0,
  generation: 1,
  attempt: 0,
  providerAttempts: 0,
  rounds: 0,
  tried: [],
  attempts: [],
  observations: 0,
  observationState: "",
  reconciliationRequired: false,
  deadLetterId: "",
  expiresAt: 1_700_000_086_400,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  sentAt: 0,
};

/** Every member with a value that it has not by default; times at the creation too. */
const full: Delivery = {
  ...queued,
  topicKey: "all",
  endpointId: "01ARZ3NDEKS000000F69G5FAVY",
  identity: "a@example.com",
  metadata: { device: "phone" },
  endpointProvider: "smtp",
  endpointConnection: "static:it",
  contextKeys: ["a", "b"],
  status: "failed",
  integrationId: "i-1",
  waitsFor: "i-2",
  providerKey: "smtp",
  providerMessageId: "<1@example.com>",
  failure: { phase: "provider", code: "PROVIDER_REFUSED", detail: "550 no" },
  winningLayer: 3,
  retryAt: 1_700_000_002_000,
  generation: 2,
  attempt: 3,
  providerAttempts: 4,
  rounds: 1,
  tried: ["i-3"],
  attempts: [
    {
      generation: 1,
      attempt: 1,
      integrationId: "i-1",
      providerKey: "smtp",
      startedAt: 1_700_000_000_000,
      endedAt: 1_700_000_000_000,
      result: "not_sent",
      code: "NETWORK",
    },
    {
      generation: 2,
      attempt: 3,
      integrationId: "i-1",
      providerKey: "smtp",
      startedAt: 1_700_000_000_900,
      endedAt: 0,
      result: "",
      code: "",
    },
  ],
  observations: 2,
  observationState: "bounced",
  reconciliationRequired: true,
  deadLetterId: "01ARZ3NDEKS000000F69G5FAVZ",
  updatedAt: 1_700_000_001_000,
  sentAt: 1_700_000_000_000,
};

test("given deliveries with all and with hardly any members, when they are read from their rows, then they are the same", (t) => {
  t.deepEqual(fromRow(toRow(queued)), queued);
  t.deepEqual(fromRow(toRow(full)), full);
  for (const name of Object.keys(full) as (keyof Delivery)[]) {
    const one = { ...queued, [name]: full[name] };
    t.deepEqual(fromRow(toRow(one)), one, `${name} alone`);
    const without = { ...full, [name]: queued[name] };
    t.deepEqual(fromRow(toRow(without)), without, `all but ${name}`);
  }
});

test("given a delivery that was just made, when it is stored, then its row is a list that events refer to and has no end of nothing", (t) => {
  const row = toRow(queued);
  t.true(row.length >= 12 && row.length < 20, `${row.length}`);
  t.not(row.at(-1), 0);
});
