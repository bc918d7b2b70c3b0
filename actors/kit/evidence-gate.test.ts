import test from "ava";
import { Random } from "#base";
import {
  evaluateGate,
  type GateReason,
  type GateReceipt,
  type GateTarget,
  gateReasons,
  type Requirement,
} from "./evidence-gate.ts";

const now = 1_700_000_000_000;
const subject = "sha256:aa";
const target: GateTarget = {
  candidateId: "C",
  candidateDigest: "sha256:cc",
  environment: "staging",
  contractSha256: "contract",
  now,
};
const requirement: Requirement = {
  id: "r",
  receipt_type: "runtime",
  subject,
  phase: "canary",
  max_age_seconds: 60,
  producer_signed: false,
  depends_on: [],
};
const good: GateReceipt = {
  id: "good",
  type: "runtime",
  subjects: [subject],
  environment: "staging",
  candidateId: "C",
  result: "passed",
  producedAt: now - 1_000,
  expiresAt: now + 1,
  producerSigned: false,
  contractSha256: "contract",
  digest: "d",
};

/** How a receipt gets each of the reasons that one receipt can have. */
const faults: Readonly<Partial<Record<GateReason, Partial<GateReceipt>>>> = {
  wrong_candidate: { candidateId: "other" },
  wrong_environment: { environment: "production" },
  expired: { expiresAt: now },
  stale: { contractSha256: "older" },
  failed: { result: "failed" },
  blocked: { result: "blocked" },
};

function gate(receipts: readonly GateReceipt[], more: Partial<Requirement> = {}) {
  return evaluateGate([{ ...requirement, ...more }], receipts, target).requirements[0]!;
}

test("given no receipt of the type, then it is missing; given a good one, then it is satisfied", (t) => {
  t.deepEqual(gate([]).reasons, ["missing"]);
  t.deepEqual(gate([{ ...good, type: "scenario" }]).reasons, ["missing"]);
  t.deepEqual(gate([good]), {
    id: "r",
    receipt_type: "runtime",
    status: "satisfied",
    reasons: ["satisfied"],
    receipt_id: "good",
  });
});

test("given every pair of reasons, then the status is the first of the two and both are told", (t) => {
  const single = Object.keys(faults) as GateReason[];
  let pairs = 0;
  for (const one of single)
    for (const other of single) {
      // A receipt has one result, so failed and blocked meet where an unsigned failure needs a signature.
      const both = [one, other].includes("failed") && [one, other].includes("blocked") && one !== other;
      const receipt = {
        ...good,
        ...faults[one],
        ...faults[other],
        ...(both && { result: "failed" as const }),
      };
      const reasons = gateReasons.filter((reason) => reason === one || reason === other);
      t.deepEqual(gate([receipt], { producer_signed: both }).reasons, reasons, `${one} and ${other}`);
      t.is(gate([receipt], { producer_signed: both }).status, reasons[0]!);
      pairs++;
    }
  t.is(pairs, 36);
  t.deepEqual(gate([], { depends_on: ["unknown"] }).reasons, ["missing", "blocked"]);
  t.deepEqual(gate([good], { depends_on: ["unknown"] }).reasons, ["blocked"]);
});

test("given an older pass and a newer failure, then the failure decides; a newer pass decides again", (t) => {
  const failed = { ...good, id: "failed", result: "failed" as const, producedAt: now - 500 };
  const again = { ...good, id: "again", producedAt: now - 100 };
  t.like(gate([good, failed]), { status: "failed", receipt_id: "failed" });
  t.like(gate([failed, good, again]), { status: "satisfied", receipt_id: "again" });
  t.like(gate([good, { ...failed, producedAt: good.producedAt }]), { status: "failed" });
});

test("given receipts of other candidates or environments, then the newest of the right one decides", (t) => {
  const elsewhere = { ...good, id: "elsewhere", environment: "production", producedAt: now };
  const foreign = { ...good, id: "foreign", candidateId: "other", producedAt: now };
  t.like(gate([elsewhere, foreign, good]), { status: "satisfied", receipt_id: "good" });
  t.like(gate([elsewhere, foreign]), { status: "wrong_environment", receipt_id: "elsewhere" });
  t.like(gate([foreign]), { status: "wrong_candidate", receipt_id: "foreign" });
});

test("given a receipt without a candidate, then it counts by its subject, or by the candidate's digest", (t) => {
  const free = { ...good, candidateId: "" };
  t.is(gate([free]).status, "satisfied");
  t.is(gate([{ ...free, subjects: ["sha256:bb"] }]).status, "wrong_candidate");
  t.is(gate([free], { subject: "" }).status, "wrong_candidate");
  t.is(gate([{ ...free, subjects: ["sha256:cc"] }], { subject: "" }).status, "satisfied");
});

test("given times at their bounds, then expired begins at expires_at, and stale after max_age_seconds", (t) => {
  t.is(gate([{ ...good, expiresAt: now + 1 }]).status, "satisfied");
  t.is(gate([{ ...good, expiresAt: now }]).status, "expired");
  t.is(gate([{ ...good, producedAt: now - 60_000 }]).status, "satisfied");
  t.is(gate([{ ...good, producedAt: now - 60_001 }]).status, "stale");
  t.is(gate([{ ...good, producedAt: 0 }], { max_age_seconds: 0 }).status, "satisfied");
});

test("given a dependency that is open, then what depends on it is blocked, over several steps", (t) => {
  const chain = [
    { ...requirement, id: "a", receipt_type: "graph" as const },
    { ...requirement, id: "b", depends_on: ["a"] },
    { ...requirement, id: "c", depends_on: ["b"] },
  ];
  const statuses = evaluateGate(chain, [good], target).requirements.map(({ status }) => status);
  t.deepEqual(statuses, ["missing", "blocked", "blocked"]);
});

test("given a phase, then it asks for its own requirements and those before it", (t) => {
  const two = [requirement, { ...requirement, id: "late", phase: "approval" as const }];
  const asked = (phase?: "canary" | "approval") =>
    evaluateGate(two, [], { ...target, ...(phase && { phase }) }).requirements.map(({ id }) => id);
  t.deepEqual(asked("canary"), ["r"]);
  t.deepEqual(asked("approval"), ["r", "late"]);
  t.deepEqual(asked(), ["r", "late"]);
});

test("property: the order of receipts and requirements changes no status", (t) => {
  const random = new Random("gate");
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random.float() * values.length)]!;
  for (let round = 0; round < 500; round++) {
    const receipts: GateReceipt[] = Array.from({ length: 6 }, (_, index) => ({
      ...good,
      id: `${index}`,
      type: pick("runtime", "graph", "canary"),
      subjects: pick([subject], ["sha256:bb"], []),
      environment: pick("staging", "production"),
      candidateId: pick("C", "other", ""),
      result: pick("passed", "failed", "blocked"),
      producedAt: now - pick(0, 10, 10, 100_000),
      expiresAt: now + pick(-1, 0, 1),
      digest: `${index}`,
    }));
    const requirements: Requirement[] = [
      { ...requirement, id: "a", receipt_type: "graph", subject: pick("", subject) },
      { ...requirement, id: "b", depends_on: pick([], ["a"]) },
      { ...requirement, id: "c", receipt_type: "canary", subject: "", depends_on: ["a", "b"] },
    ];
    const shuffled = <T>(values: readonly T[]): T[] =>
      values
        .map((value) => ({ value, at: random.float() }))
        .sort((a, b) => a.at - b.at)
        .map(({ value }) => value);
    const byId = (result: ReturnType<typeof evaluateGate>) =>
      [...result.requirements].sort((a, b) => (a.id < b.id ? -1 : 1));
    const first = evaluateGate(requirements, receipts, target);
    const second = evaluateGate(shuffled(requirements), shuffled(receipts), target);
    t.deepEqual(byId(second), byId(first));
    t.is(second.satisfied, first.satisfied);
  }
});
