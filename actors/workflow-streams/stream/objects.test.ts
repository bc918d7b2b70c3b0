import test from "ava";
import { limits } from "#base";
import { runId, startStream } from "../../../test/support/streams.ts";
import { findObject, noteUpload } from "./service.ts";

const intent = { idempotency_key: "k", digest: "0".repeat(64), size: 10 };

test("an object that is not committed in time expires, and its bytes are deleted", (t) => {
  const { driver, address, ask } = startStream();
  const { object_id, authorization_receipt: receipt } = ask("PrepareObject", intent);
  driver.ask(address, noteUpload.name, { run_id: runId, object_id, receipt });
  driver.advance(limits.streamObjectExpiryMs);
  t.like(ask("CommitObject", { object_id, receipt }), { reason: "OBJECT_EXPIRED" });
  t.like(driver.effects(address)[0], { id: `object.${object_id}`, kind: "stream_object_delete" });
  t.deepEqual(driver.timers(address), []);
});

test("bytes that an upload stores after its object was given up are deleted when the upload must be over", (t) => {
  const { driver, address, ask } = startStream();
  const { object_id } = ask("PrepareObject", intent);
  ask("AbortObject", { object_id });
  const [now, late] = driver.effects(address);
  t.is(now!.dueMs, driver.now);
  t.is(late!.dueMs, driver.now + limits.streamObjectLateMs);
  t.true(limits.streamObjectLateMs > limits.streamTimeoutMs);
  t.deepEqual(late!.body, now!.body);
});

test("the bytes of an object are deleted with its record, not before, and not under a hold", (t) => {
  const { driver, address, append, ask } = startStream({ retention: { max_records: 1 } });
  const { object_id, authorization_receipt: receipt } = ask("PrepareObject", intent);
  driver.ask(address, noteUpload.name, { run_id: runId, object_id, receipt });
  t.like(ask("CommitObject", { object_id, receipt }), { sequence: 1 });
  ask("SetLegalHold", { held: true, reason: "r" });
  append(2);
  driver.advance(60_000);
  t.deepEqual(driver.effects(address), []);
  t.like(driver.ask(address, findObject.name, { run_id: runId, object_id }), { size: 10 });
  ask("SetLegalHold", { held: false });
  driver.tell(address, { type: "trim" });
  t.like(driver.ask(address, findObject.name, { run_id: runId, object_id }), { code: "NOT_FOUND" });
  driver.advance(60_000);
  t.like(driver.effects(address), [{ kind: "stream_object_delete" }]);
  t.deepEqual(driver.unlikeReplay(address), []);
  t.not(ask("PrepareObject", intent).object_id, object_id);
});

test("a stream has so many objects that are not committed, and no more", (t) => {
  const { driver, address, ask } = startStream();
  driver.state<{ head: { openObjects: number } }>(address).head.openObjects = limits.streamObjectsOpenMax;
  t.like(ask("PrepareObject", intent), { reason: "LIMIT_REACHED" });
});
