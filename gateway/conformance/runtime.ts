import { inSandbox, reading, suite } from "./case.ts";
import { expect } from "./failures.ts";

const nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const create = "PoolService.CreatePool";
const get = "PoolService.GetPool";
const update = "PoolService.UpdatePool";

/** Idempotency, versions, use after 201, timers, events, and what every request can rely on. */
export const runtime = suite({
  id: "runtime",
  title: "Idempotency, versions, use after creation, timers, events",
  cases: {
    "read-after-create": inSandbox("what was created can be read at once", [create, get], async (t) => {
      const made = await t.ok(create, { name: "p", description: "d" });
      const read = await t.ok(get, { pool_id: made.id });
      expect(
        read.id === made.id && read.description === "d",
        "the pool that was read is not the one created",
      );
    }),
    "created-location": inSandbox(
      "a creation answers 201 with the place of what it made",
      [create],
      async (t) => {
        const { status, headers, message } = await t.call(create, { name: "p" });
        expect(status === 201, `the status is ${status}`);
        expect(headers.location === `/api/pools/${message?.id}`, `Location is ${headers.location}`);
      },
    ),
    "idempotent-replay": inSandbox(
      "a repeat with the same key is answered from record",
      [create],
      async (t) => {
        const key = { "idempotency-key": t.key() };
        const first = await t.ok(create, { name: "p" }, key);
        const again = await t.call(create, { name: "p" }, key);
        expect(again.message?.id === first.id, "the repeat made another pool");
        const { metadata } = again.body as { metadata?: { idempotent_replay?: boolean } };
        expect(metadata?.idempotent_replay === true, "the repeat does not say that it is one");
      },
    ),
    "idempotency-key-reused": inSandbox("a key with another body is refused", [create], async (t) => {
      const key = { "idempotency-key": t.key() };
      await t.ok(create, { name: "p" }, key);
      await t.refused(create, { name: "other" }, "IDEMPOTENCY_KEY_REUSED", key);
    }),
    "concurrent-repeats": inSandbox("ten repeats at once make one", [create], async (t) => {
      const key = { "idempotency-key": t.key() };
      const made = await Promise.all(Array.from({ length: 10 }, () => t.ok(create, { name: "p" }, key)));
      expect(new Set(made.map(({ id }) => id)).size === 1, "repeats made more than one pool");
    }),
    "version-counts": inSandbox(
      "a change counts the version up, no change leaves it",
      [create, update],
      async (t) => {
        const pool_id = await t.pool();
        const changed = await t.ok(update, { pool_id, name: "other" });
        expect(changed.record_version === 2, `record_version is ${changed.record_version}`);
        const same = await t.ok(update, { pool_id, name: "other" });
        expect(same.record_version === 2, "nothing changed, and the version did");
      },
    ),
    "version-conflict": inSandbox("an old version is refused", [create, update], async (t) => {
      const pool_id = await t.pool();
      await t.ok(update, { pool_id, name: "other", record_version: 1 });
      await t.refused(update, { pool_id, name: "third", record_version: 1 }, "VERSION_CONFLICT");
    }),
    "if-match": inSandbox("a failing If-Match is 412", [create, update], async (t) => {
      const pool_id = await t.pool();
      const outcome = await t.call(update, { pool_id, name: "other" }, { "if-match": '"99"' });
      expect(outcome.status === 412, `the status is ${outcome.status}`);
    }),
    "merge-patch": inSandbox("null resets a field, an absent one stays", [create, update], async (t) => {
      const pool_id = await t.pool({ description: "d" });
      const kept = await t.ok(update, { pool_id, name: "other" });
      expect(kept.description === "d", "an absent field was changed");
      const reset = await t.ok(update, { pool_id, description: null });
      expect(reset.description === "", "null did not reset the field");
    }),
    "deleted-is-gone": inSandbox(
      "what was deleted is not found",
      [create, "PoolService.DeletePool", get],
      async (t) => {
        const pool_id = await t.pool();
        const { deleted } = await t.ok("PoolService.DeletePool", { pool_id });
        expect(deleted === true, "the answer does not say deleted");
        await t.refused(get, { pool_id }, "NOT_FOUND");
      },
    ),
    "pages-complete": inSandbox(
      "pages return everything once, with the exact total",
      [create, "RecipientService.CreateRecipient", "RecipientService.ListRecipients"],
      async (t) => {
        const pool_id = await t.pool();
        const made = [];
        for (let n = 0; n < 5; n++) made.push(await t.recipient(pool_id));
        const seen: string[] = [];
        for (let page_token = ""; ; ) {
          const asked = { pool_id, page_size: 2, ...(page_token !== "" && { page_token }) };
          const page = await t.ok("RecipientService.ListRecipients", asked);
          expect(page.total === 5, `total is ${page.total}`);
          seen.push(...page.recipients.map(({ id }: { id: string }) => id));
          page_token = page.next_page_token;
          if (page_token === "" || seen.length > 5) break;
        }
        expect(
          JSON.stringify(seen) === JSON.stringify(made.sort()),
          "the pages are not the recipients in order",
        );
      },
    ),
    "foreign-cursor": inSandbox(
      "a cursor opens only its own list",
      [create, "RecipientService.CreateRecipient", "RecipientService.ListRecipients"],
      async (t) => {
        const [one, other] = [await t.pool(), await t.pool()];
        for (const pool_id of [one, one, other]) await t.recipient(pool_id);
        const page = await t.ok("RecipientService.ListRecipients", { pool_id: one, page_size: 1 });
        const asked = { pool_id: other, page_token: page.next_page_token };
        await t.refused("RecipientService.ListRecipients", asked, "INVALID_ARGUMENT");
      },
    ),
    "timer-not-before": inSandbox(
      "a scheduled item is delivered after its time, by itself",
      [create, "RecipientService.CreateRecipient", "QueueService.Enqueue", "QueueService.Claim"],
      async (t) => {
        const pool_id = await t.pool();
        const recipient = await t.recipient(pool_id);
        const dueMs = Date.now() + 400;
        const { item } = await t.enqueue(pool_id, { not_before: new Date(dueMs).toISOString() });
        // On a slow machine its time may come before the answer does.
        expect(item.state === "scheduled" || Date.now() >= dueMs, `the item is ${item.state}`);
        const early = await t.claim(pool_id, recipient, { wait_seconds: 0 });
        expect(early.length === 0 || Date.now() >= dueMs, "the item was delivered before its time");
        const [leased] = early.length > 0 ? early : await t.claim(pool_id, recipient);
        expect(leased?.item.id === item.id, "the item was not delivered after its time");
      },
    ),
    "route-verifies": inSandbox(
      "a routing is kept with all its inputs",
      [create, "RecipientService.CreateRecipient", "RoutingService.Route", "RoutingService.GetRouting"],
      async (t) => {
        const pool_id = await t.pool();
        const recipient = await t.recipient(pool_id);
        const routed = await t.ok("RoutingService.Route", { pool_id, key: "k" });
        expect(routed.recipient_id === recipient, "the only recipient was not chosen");
        const found = await t.ok("RoutingService.GetRouting", { routing_id: routed.id, verify: true });
        expect(found.verification?.matches === true, "the routing does not verify");
      },
    ),
    "event-wait": inSandbox(
      "an event wakes who waits for it",
      ["WorkflowWaitService.SignalRun", "WorkflowWaitService.WaitForEvent"],
      async (t) => {
        const run_id = nobody;
        const event_key = `conformance-${t.key()}`;
        const waiting = t.ok("WorkflowWaitService.WaitForEvent", { run_id, event_key, wait_ms: 10_000 });
        await t.ok("WorkflowWaitService.SignalRun", { run_id, event_key, payload: { n: 1 } });
        const { event } = await waiting;
        expect(event?.payload?.n === 1, "the event did not come");
      },
    ),
    "unknown-field": inSandbox("a field that the contract does not know is refused", [create], async (t) => {
      await t.refused(create, { name: "p", no_such_field: 1 }, "INVALID_ARGUMENT");
    }),
    "unknown-id": reading("an unknown id is not found", [get], async (t) => {
      await t.refused(get, { pool_id: nobody }, "NOT_FOUND");
    }),
    "malformed-id": reading("a malformed id is refused by field", [get], async (t) => {
      const { body } = await t.refused(get, { pool_id: "x" }, "INVALID_ARGUMENT");
      expect(JSON.stringify(body).includes("pool_id"), "the refusal does not name the field");
    }),
    "problem-json": reading("an error is application/problem+json with its members", [get], async (t) => {
      const { headers, body, status } = await t.refused(get, { pool_id: nobody }, "NOT_FOUND");
      expect(Boolean(headers["content-type"]?.startsWith("application/problem+json")), "of another type");
      for (const member of ["type", "title", "status", "detail", "errorCode", "retryable"])
        expect(body !== undefined && member in body, `it has no ${member}`);
      expect(body?.status === status, "its status is not that of the answer");
    }),
    "api-version-old": reading("a version older than the minimum is refused", [get], async (t) => {
      await t.refused(get, { pool_id: nobody }, "INVALID_ARGUMENT", { "api-version": "1999-01-01" });
    }),
    "api-version-echoed": reading(
      "the negotiated version is echoed",
      ["CapabilityService.ListCapabilities"],
      async (t) => {
        const { headers } = await t.call("CapabilityService.ListCapabilities", {});
        expect(headers["api-version"] === "2024-01-01", `Api-Version is ${headers["api-version"]}`);
      },
    ),
    "request-id-echoed": reading(
      "X-Request-ID comes back",
      ["CapabilityService.ListCapabilities"],
      async (t) => {
        const id = `conformance-${t.key()}`;
        const { headers } = await t.call("CapabilityService.ListCapabilities", {}, { "x-request-id": id });
        expect(headers["x-request-id"] === id, `X-Request-ID is ${headers["x-request-id"]}`);
      },
    ),
    "services-report": reading(
      "the service says which contract it serves",
      ["MetaService.GetServices"],
      async (t) => {
        const report = await t.ok("MetaService.GetServices", {});
        expect(report.contract_sha256 === t.contractSha256, "it is another contract");
        expect(report.services.length > 0, "it has no services");
      },
    ),
  },
});
