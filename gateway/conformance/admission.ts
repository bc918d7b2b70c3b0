import { inSandbox, suite } from "./case.ts";
import { expect } from "./failures.ts";
import type { Tester } from "./tester.ts";

const create = "PoolService.CreatePool";
const enqueue = "QueueService.Enqueue";
const worker = ["RecipientService.CreateRecipient", "QueueService.Claim"];
const explain = "AdmissionService.ExplainAdmission";
const groups = "AdmissionService.ListAdmissionGroups";
const clear = "AdmissionService.ClearAdmissionGroup";
const preview = "AdmissionService.PreviewAdmission";

const admitted = (t: Tester, admission: object) => t.pool({ config: { admission } });
const singleton = { singleton: { key: "item.key", mode: "skip" } };
const periodMs = 400;
const debounce = { debounce: { key: "item.key", period_ms: periodMs, max_wait_ms: 2_000, take: "last" } };
const throttle = { throttle: { key: "item.key", limit: 1, period_ms: 60_000, burst: 1 } };
const concurrency = { concurrency: [{ key: "item.key", limit: 1 }] };

/** Two items of one key, the first of them with a worker. */
async function held(t: Tester, control: object) {
  const pool_id = await admitted(t, control);
  const recipient_id = await t.recipient(pool_id);
  await t.enqueue(pool_id, { key: "secret-key" });
  const [lease] = await t.claim(pool_id, recipient_id);
  const { item } = await t.enqueue(pool_id, { key: "secret-key" });
  return { pool_id, recipient_id, lease, second: item };
}

/** A pool with two items that came within the period: on a slow machine the second may come too late, and others are tried. */
async function joined(t: Tester) {
  for (;;) {
    const pool_id = await admitted(t, debounce);
    const recipient_id = await t.recipient(pool_id);
    const beganMs = Date.now();
    const first = await t.enqueue(pool_id, { key: "k", payload: 1 });
    const second = await t.enqueue(pool_id, { key: "k", payload: 2 });
    if (second.item.id === first.item.id) return { pool_id, recipient_id };
    expect(Date.now() - beganMs >= periodMs, "they are two items");
  }
}

/** The four controls, preview, explanation and clearing. */
export const admission = suite({
  id: "admission",
  title: "Singleton, debounce, throttle and concurrency; preview, explain, clear",
  cases: {
    "singleton-skips": inSandbox(
      "a second item of a key is skipped while the first is open",
      [create, enqueue],
      async (t) => {
        const pool_id = await admitted(t, singleton);
        const first = await t.enqueue(pool_id, { key: "k" });
        const second = await t.enqueue(pool_id, { key: "k" });
        expect(second.admission.outcome === "skipped", `the outcome is ${second.admission.outcome}`);
        expect(second.item.id === first.item.id, "it does not name the item that is open");
      },
    ),
    "singleton-ends": inSandbox(
      "once it is done the key is free",
      [create, enqueue, ...worker, "QueueService.Complete"],
      async (t) => {
        const pool_id = await admitted(t, singleton);
        const recipient_id = await t.recipient(pool_id);
        await t.enqueue(pool_id, { key: "k" });
        const [lease] = await t.claim(pool_id, recipient_id);
        await t.ok("QueueService.Complete", {
          pool_id,
          queue_item_id: lease.item.id,
          lease_token: lease.lease_token,
        });
        const next = await t.enqueue(pool_id, { key: "k" });
        expect(next.admission.outcome === "enqueued", `the outcome is ${next.admission.outcome}`);
      },
    ),
    "debounce-joins": inSandbox(
      "items within the period are one, with the last payload",
      [create, enqueue, ...worker],
      async (t) => {
        const { pool_id, recipient_id } = await joined(t);
        const [lease] = await t.claim(pool_id, recipient_id);
        expect(lease?.item.payload === 2, "it has another payload");
        const more = await t.claim(pool_id, recipient_id, { wait_seconds: 0 });
        expect(more.length === 0, "it was delivered twice");
      },
    ),
    "throttle-waits": inSandbox(
      "an item over the rate waits until an exact time",
      [create, enqueue, ...worker, explain],
      async (t) => {
        const { pool_id, recipient_id, second } = await held(t, throttle);
        const none = await t.claim(pool_id, recipient_id, { wait_seconds: 0 });
        expect(none.length === 0, "an item over the rate was delivered");
        const told = await t.ok(explain, { pool_id, queue_item_id: second.id });
        expect(told.constraint_kind === "throttle", `it is held by ${told.constraint_kind}`);
        expect(told.retry_after_ms > 0 && told.not_before !== undefined, "it does not say until when");
      },
    ),
    "concurrency-holds": inSandbox(
      "as many leases of a key as allowed, then the next when one ends",
      [create, enqueue, ...worker, "QueueService.Complete"],
      async (t) => {
        const { pool_id, recipient_id, lease, second } = await held(t, concurrency);
        const none = await t.claim(pool_id, recipient_id, { wait_seconds: 0 });
        expect(none.length === 0, "two leases of one key");
        await t.ok("QueueService.Complete", {
          pool_id,
          queue_item_id: lease.item.id,
          lease_token: lease.lease_token,
        });
        const [next] = await t.claim(pool_id, recipient_id);
        expect(next?.item.id === second.id, "the next one was not let through");
      },
    ),
    dedup: inSandbox("the same dedup_id again is the same item", [create, enqueue], async (t) => {
      const pool_id = await t.pool();
      const first = await t.enqueue(pool_id, { dedup_id: "d" });
      const again = await t.enqueue(pool_id, { dedup_id: "d" });
      expect(
        again.admission.outcome === "duplicate" && again.item.id === first.item.id,
        "it is another item",
      );
    }),
    preview: inSandbox(
      "a preview says what would happen and does nothing",
      [create, preview, "QueueControlService.GetQueueStatus"],
      async (t) => {
        const pool_id = await admitted(t, singleton);
        const told = await t.ok(preview, { pool_id, key: "k" });
        expect(told.admission?.outcome === "enqueued", `the outcome is ${told.admission?.outcome}`);
        const { depth } = await t.ok("QueueControlService.GetQueueStatus", { pool_id });
        expect(depth === 0, "the preview added an item");
      },
    ),
    explain: inSandbox(
      "an item that waits says what holds it",
      [create, enqueue, ...worker, explain],
      async (t) => {
        const { pool_id, second } = await held(t, concurrency);
        const told = await t.ok(explain, { pool_id, queue_item_id: second.id });
        expect(told.constraint_kind === "concurrency" && told.status === "held", `it is ${told.status}`);
      },
    ),
    "group-redacted": inSandbox(
      "a group shows neither the key nor a part of it",
      [create, enqueue, ...worker, groups],
      async (t) => {
        const { pool_id } = await held(t, concurrency);
        const { admission_groups } = await t.ok(groups, { pool_id });
        expect(/^g_[0-9a-f]{32}$/.test(admission_groups[0]?.group_id), "the group has no redacted id");
        expect(!JSON.stringify(admission_groups).includes("secret-key"), "the key is told");
      },
    ),
    "clear-throttle": inSandbox(
      "a cleared throttle lets the next one through",
      [create, enqueue, ...worker, groups, clear],
      async (t) => {
        const { pool_id, recipient_id, second } = await held(t, throttle);
        const { admission_groups } = await t.ok(groups, { pool_id, constraint_kind: "throttle" });
        const { group_id } = admission_groups[0] ?? {};
        await t.ok(clear, { pool_id, constraint_kind: "throttle", group_id, reason: "conformance" });
        const [next] = await t.claim(pool_id, recipient_id);
        expect(next?.item.id === second.id, "the item was not let through");
      },
    ),
    "clear-concurrency": inSandbox(
      "concurrency cannot be cleared: leases hold it",
      [create, enqueue, ...worker, groups, clear],
      async (t) => {
        const { pool_id } = await held(t, concurrency);
        const { admission_groups } = await t.ok(groups, { pool_id, constraint_kind: "concurrency" });
        const { group_id } = admission_groups[0] ?? {};
        const asked = { pool_id, constraint_kind: "concurrency", group_id, reason: "conformance" };
        await t.refused(clear, asked, "FAILED_PRECONDITION");
      },
    ),
  },
});
