import test from "ava";
import { digestOf, isRefusal, limits } from "#base";
import type { Address } from "#runtime";
import { defineActor } from "#runtime";
import { EntityDriver } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { directoryOf } from "../kit/directory.ts";
import { addReceipt, type GateQuestion, packAddress, promotionAddress } from "../kit/evidence.ts";
import { makePack } from "./directory.ts";
import { beginRun } from "./service.ts";

type Message = Readonly<Record<string, unknown>>;

const tenant = "0000000000000000000000000A";
const subject = `sha256:${"a".repeat(64)}`;
const candidateId = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
const candidateDigest = `sha256:${"c".repeat(64)}`;
const passed = { scenario: { passed: 1 }, result: "passed", subjects: [{ name: "s", digest: subject }] };

/** A pack, and in the place of a promotion one that writes down what it is told. */
class Driven {
  readonly driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  readonly told: Message[] = [];
  readonly id: string;
  readonly at: Address;

  constructor(requirements: readonly Message[] = []) {
    this.driver.define(
      defineActor<object, Message, never>({
        kind: "promotion",
        placement: "key",
        empty: () => ({}),
        resident: [],
        restore: () => {},
        decide: (_state, command) => {
          this.told.push(command);
          return { events: [] };
        },
        apply: () => {},
        methods: {},
        onMessage: (message: Message) => message,
      }),
    );
    const request = { environment_id: "staging", name: "p", requirements };
    const made = this.driver.ask(directoryOf(tenant, "evidence_pack"), makePack.name, request);
    this.id = (made as { id: string }).id;
    this.at = packAddress(tenant, this.id);
  }

  call<Answer = Message>(method: string, request: Message = {}): Answer {
    const full = method.includes(".") ? method : `EvidenceService.${method}`;
    const asked = { environment_id: "staging", pack_id: this.id, ...request };
    return this.driver.ask(this.at, full, asked) as Answer;
  }

  receipt(fields: Message = {}): Message {
    return this.call(addReceipt.name, { ...passed, ...fields });
  }

  attach(open = true): void {
    const note = { type: "candidate", packId: this.id, candidateId, candidateDigest, open };
    this.driver.tell(this.at, note);
  }

  digest(): string {
    return this.call("GetPack").digest as string;
  }
}

test("given content, then its digest is over the canonical bytes, and the same content again is the same artifact", (t) => {
  const pack = new Driven();
  const first = pack.call("AddArtifact", { name: "a", content: { b: 1, a: 2 } });
  t.is(first.digest, digestOf({ a: 2, b: 1 }));
  const again = pack.call("AddArtifact", { name: "other", content: { a: 2, b: 1 } });
  t.is(again.id, first.id);
  t.is(pack.call("GetPack").artifact_count, 1);
  t.deepEqual(pack.call("GetArtifact", { artifact_id: first.id }).content, { a: 2, b: 1 });
});

test("given artifacts that cannot be, then each is refused by field", (t) => {
  const pack = new Driven();
  const wrong: readonly (readonly [Message, string])[] = [
    [{ content: "x".repeat(limits.evidenceArtifactBytesMax) }, "content"],
    [{ content: { n: 2 ** 60 } }, "content.n"],
    [{ content: { s: "\ud800" } }, "content.s"],
    [{ content: 1, storage_ref: "s3://b/k" }, "storage_ref"],
    [{ content: 1, digest: subject }, "digest"],
    [{ size: 3 }, "digest"],
    [{ digest: subject }, "size"],
  ];
  for (const [fields, field] of wrong)
    t.like(pack.call("AddArtifact", { name: "a", ...fields }), {
      code: "INVALID_ARGUMENT",
      fields: [{ field }],
    });
});

test("given receipts that cannot be, then each is refused by field", (t) => {
  const pack = new Driven();
  const now = pack.driver.now;
  const at = (ms: number) => new Date(now + ms).toISOString();
  const wrong: readonly (readonly [Message, string])[] = [
    [{ produced_at: at(60_001) }, "produced_at"],
    [{ produced_at: at(-401 * 86_400_000) }, "produced_at"],
    [{ produced_at: at(0), expires_at: at(0) }, "expires_at"],
    [{ expires_at: at(401 * 86_400_000) }, "expires_at"],
    [{ scenario: { passed: 0 } }, "result"],
    [{ scenario: { passed: 1, failed: 1 } }, "result"],
    [{ scenario: { passed: 1 }, result: "failed" }, "result"],
    [{ scenario: undefined, connector: { checks: [{ name: "c", passed: false }] } }, "result"],
    [{ scenario: undefined, graph: { cycles: 1 } }, "result"],
    [{ scenario: undefined, strategy: { trials: 0 } }, "result"],
    [{ result: "" }, "result"],
    [{ subjects: [] }, "subjects"],
    [{ details: { text: "x".repeat(limits.evidenceDetailsBytesMax) } }, "details"],
    [{ scenario: undefined }, "receipt"],
  ];
  for (const [fields, field] of wrong)
    t.like(pack.receipt(fields), { code: "INVALID_ARGUMENT", fields: [{ field }] }, JSON.stringify(fields));
  t.is(pack.call("GetPack").receipt_count, 0);
  t.false(isRefusal(pack.receipt({ produced_at: at(60_000), expires_at: at(400 * 86_400_000) })));
});

test("given the same evidence in another order, then the pack has the same digest; anything more changes it", (t) => {
  const [one, other] = [new Driven(), new Driven()];
  const first = { details: { n: 1 }, produced_at: new Date(one.driver.now).toISOString() };
  const second = { details: { n: 2 }, produced_at: first.produced_at };
  const seen = new Set([one.digest()]);
  for (const details of [first, second]) {
    one.receipt(details);
    seen.add(one.digest());
  }
  other.receipt(second);
  other.receipt(first);
  t.is(one.id, other.id);
  t.is(one.digest(), other.digest());
  one.call("AddArtifact", { name: "a", content: 1 });
  seen.add(one.digest());
  one.call("UpdatePack", { name: "p", requirements: [{ id: "r", receipt_type: "graph" }] });
  seen.add(one.digest());
  t.is(seen.size, 5);
  one.call("UpdatePack", {
    name: "other",
    labels: { a: "b" },
    requirements: [{ id: "r", receipt_type: "graph" }],
  });
  t.true(seen.has(one.digest()), "a name is no evidence");
});

test("given a promotion that asks, then it hears the gate and the digest; and hears when the pack changes", (t) => {
  const pack = new Driven([{ id: "r", receipt_type: "scenario" }]);
  const question: GateQuestion = {
    type: "gate",
    ref: "7",
    packId: pack.id,
    candidateId,
    candidateDigest,
    phase: "approval",
  };
  const from = promotionAddress(tenant, candidateId);
  const ask = () => {
    pack.driver.tell(pack.at, { type: "gate_question", from, question });
    return pack.told.at(-1)!;
  };
  t.like(ask(), { type: "gated", ref: "7", found: false, satisfied: false, digest: "" });
  pack.attach();
  t.deepEqual(pack.told.at(-1), { type: "pack_changed", packId: pack.id, digest: pack.digest() });
  t.like(ask(), { found: true, satisfied: false, digest: pack.digest() });
  pack.receipt();
  t.like(pack.told.at(-1), { type: "pack_changed", digest: pack.digest() });
  t.like(ask(), { satisfied: true, requirements: [{ id: "r", status: "satisfied" }] });
  pack.receipt({ scenario: { failed: 1 }, result: "failed" });
  t.like(ask(), { satisfied: false, requirements: [{ status: "failed" }] });
});

test("given an open candidate, then the pack is in use; given an archived pack, then writes are refused", (t) => {
  const pack = new Driven();
  pack.attach();
  t.like(pack.call("ArchivePack"), { code: "FAILED_PRECONDITION", reason: "PACK_IN_USE" });
  pack.attach(false);
  t.like(pack.call("ArchivePack"), { state: "archived" });
  for (const write of ["UpdatePack", "AddArtifact", addReceipt.name, beginRun.name, "ArchivePack"])
    t.like(pack.call(write, { ...passed, name: "n", content: 1 }), { code: "STATE_CONFLICT" }, write);
  t.like(pack.call("EvaluateGate"), { satisfied: true });
});

test("given a canary that stopped, then only its own promotion adds the receipt", (t) => {
  const pack = new Driven([{ id: "c", receipt_type: "canary", phase: "approval" }]);
  const told = {
    type: "canary_receipt",
    packId: pack.id,
    candidateId,
    candidateDigest,
    result: "passed",
    details: {},
  };
  pack.driver.tell(pack.at, told);
  t.is(pack.call("GetPack").receipt_count, 0);
  pack.attach();
  pack.driver.tell(pack.at, { ...told, candidateId: "01J9ZC5T8N4W0QK7V3M2B6XH1E" });
  t.is(pack.call("GetPack").receipt_count, 0);
  pack.driver.tell(pack.at, told);
  t.like(pack.call("EvaluateGate", { phase: "approval" }), { satisfied: true });
});

function started(pack: Driven, fields: Message = {}) {
  return pack.call<{ id: string; lease_token: string; lease_expires_at: string }>(beginRun.name, {
    kind: "scenario",
    mode: "sandbox",
    ...fields,
  });
}

test("given a run, then a heartbeat makes it running, and its receipt ends it", (t) => {
  const pack = new Driven();
  const { id: run_id, lease_token } = started(pack);
  t.like(pack.receipt({ run_id, lease_token }), { code: "STATE_CONFLICT" }, "it is pending");
  t.like(pack.call("HeartbeatRun", { run_id, lease_token: "other" }), { code: "LEASE_LOST" });
  t.like(pack.call("HeartbeatRun", { run_id, lease_token }), { state: "running" });
  t.like(pack.receipt({ run_id, lease_token: "other" }), { code: "LEASE_LOST" });
  t.like(pack.receipt({ run_id, lease_token, scenario: undefined, graph: {} }), { code: "INVALID_ARGUMENT" });
  const { id: receipt_id } = pack.receipt({ run_id, lease_token }) as { id: string };
  t.like(pack.call("GetRun", { run_id }), { state: "succeeded", receipt_id });
  t.is(pack.call("GetRun", { run_id }).lease_token, undefined);
  t.like(pack.call("HeartbeatRun", { run_id, lease_token }), { code: "STATE_CONFLICT" });
  t.like(pack.call("CancelRun", { run_id }), { code: "STATE_CONFLICT" });
  t.deepEqual(pack.driver.timers(pack.at), []);
});

test("given no heartbeat in time, then the run expires; no heartbeat moves its lease beyond the deadline", (t) => {
  const pack = new Driven();
  const { id: run_id, lease_token } = started(pack, { lease_seconds: 60, deadline_seconds: 100 });
  pack.driver.advance(59_000);
  const beat = pack.call("HeartbeatRun", { run_id, lease_token });
  t.is(Date.parse(beat.lease_expires_at as string), Date.parse(beat.deadline_at as string));
  pack.driver.advance(40_999);
  t.like(pack.call("HeartbeatRun", { run_id, lease_token }), { state: "running" });
  pack.driver.restart();
  pack.driver.advance(1);
  t.like(pack.call("GetRun", { run_id }), { state: "expired" });
  t.like(pack.call("HeartbeatRun", { run_id, lease_token }), { code: "LEASE_LOST", reason: "expired" });
  t.like(pack.receipt({ run_id, lease_token }), { code: "LEASE_LOST" });
});

test("given 20 open runs, then one more is refused until one of them is cancelled", (t) => {
  const pack = new Driven();
  const runs = Array.from({ length: limits.evidenceRunsOpenMax }, () => started(pack));
  t.like(started(pack), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
  t.like(pack.call("CancelRun", { run_id: runs[0]!.id, reason: "r" }), {
    state: "cancelled",
    cancel_reason: "r",
  });
  t.false(isRefusal(started(pack)));
  const lost = pack.call("HeartbeatRun", { run_id: runs[0]!.id, lease_token: runs[0]!.lease_token });
  t.like(lost, { code: "LEASE_LOST", reason: "cancelled" });
});

test("given a pack, then it says what decided, why others did not and what to do", (t) => {
  const pack = new Driven([
    { id: "s", receipt_type: "scenario" },
    { id: "g", receipt_type: "graph", depends_on: ["s"] },
  ]);
  const older = pack.receipt();
  const elsewhere = pack.receipt({
    produced_in: "development",
    produced_at: new Date(pack.driver.now + 1).toISOString(),
  });
  pack.driver.advance(10);
  const decides = pack.receipt({ scenario: { failed: 1 }, result: "failed" });
  const { requirements } = pack.call<{ requirements: Message[] }>("ExplainPack");
  t.like(requirements[0], { gate: { status: "failed", receipt_id: decides.id }, others_left_out: 0 });
  t.deepEqual(requirements[0]!.others, [
    { receipt_id: elsewhere.id, reasons: ["wrong_environment"] },
    { receipt_id: older.id, reasons: ["older"] },
  ]);
  t.deepEqual(requirements[1]!.next_steps, ["Add a graph receipt.", "Satisfy s first."]);
});

test("given a restart, then gate, lists and digest are as before, and rows are what the events make of them", (t) => {
  const pack = new Driven([{ id: "s", receipt_type: "scenario" }]);
  pack.call("AddArtifact", { name: "a", content: [1] });
  pack.receipt();
  const { id: run_id, lease_token } = started(pack);
  pack.call("HeartbeatRun", { run_id, lease_token });
  const seen = () =>
    ["GetPack", "ListArtifacts", "ListReceipts", "ListRuns", "ExplainPack"].map((method) =>
      pack.call(method),
    );
  const before = seen();
  pack.driver.restart();
  t.deepEqual(seen(), before);
  t.deepEqual(pack.driver.unlikeReplay(pack.at), []);
});

test("given the limit of receipts, then one more is refused, and pages return every receipt once", (t) => {
  const pack = new Driven();
  for (let n = 0; n < limits.evidenceReceiptsMax; n++) pack.receipt({ details: { n } });
  t.like(pack.receipt(), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
  const seen = new Set<string>();
  for (let page_token = ""; ; ) {
    const page = pack.call<{ receipts: { id: string }[]; next_page_token: string; total: number }>(
      "ListReceipts",
      {
        page_size: 300,
        page_token,
      },
    );
    t.is(page.total, limits.evidenceReceiptsMax);
    for (const { id } of page.receipts) seen.add(id);
    page_token = page.next_page_token;
    if (page_token === "") break;
  }
  t.is(seen.size, limits.evidenceReceiptsMax);
});

test("given 200 artifacts, then one more is refused, and the same content again is none more", (t) => {
  const pack = new Driven();
  const add = (n: number) => pack.call("AddArtifact", { name: "a", content: { n } });
  for (let n = 0; n < limits.evidenceArtifactsMax; n++) t.is(add(n).code, undefined);
  t.is(add(0).code, undefined);
  t.like(add(-1), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
});

test("given 1,000 open packs, then one more is refused until one of them is archived", (t) => {
  const pack = new Driven();
  const create = () =>
    pack.driver.ask(directoryOf(tenant, "evidence_pack"), makePack.name, {
      environment_id: "staging",
      name: "p",
    }) as Message;
  for (let n = 1; n < limits.evidencePacksOpenMax; n++) t.is(create().code, undefined);
  t.like(create(), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
  pack.call("ArchivePack");
  t.is(create().code, undefined);
});
