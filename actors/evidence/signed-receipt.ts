import { invalid, isObject, isUlid, limits, type Refusal } from "#base";
import type { SignedReceipt, Statement } from "../kit/evidence.ts";
import type { ReceiptType } from "../kit/evidence-gate.ts";
import { type Envelope, inTotoType, type PublicKey, signersOf } from "./dsse.ts";
import { typeOfPredicate } from "./receipt.ts";

/** A receipt that a producer signed: its signature first, then whether what it says has the shape of a receipt. */
export function readSigned(given: unknown, trusted: readonly PublicKey[]): SignedReceipt | Refusal {
  const envelope = envelopeOf(given);
  if (envelope === undefined)
    return invalid({ field: "dsse", reason: "is not a DSSE envelope: payload, payloadType, signatures" });
  if (envelope.payload.length > limits.evidenceEnvelopeBytesMax)
    return invalid({
      field: "dsse.payload",
      reason: `has more than ${limits.evidenceEnvelopeBytesMax} bytes in base64`,
    });
  if (envelope.payloadType !== inTotoType)
    return invalid({ field: "dsse.payloadType", reason: `must be ${inTotoType}` });
  const [signer] = signersOf(envelope, trusted);
  if (!signer)
    return invalid({ field: "dsse.signatures", reason: "has none of a key in evidence.trusted_keys" });
  const statement = parsed(envelope);
  const type = typeOfPredicate((statement as { predicateType?: unknown } | undefined)?.predicateType);
  const problem = type === undefined ? "is no in-toto Statement with a receipt" : problemOf(type, statement);
  if (problem !== undefined) return invalid({ field: "dsse.payload", reason: problem });
  return { type: type!, statement: statement as Statement, keyId: signer.keyId };
}

/** Of JSON that has the shape; with fields that DSSE does not know it is no envelope. */
export function envelopeOf(given: unknown): Envelope | undefined {
  const { payload, payloadType, signatures, ...more } = (given ?? {}) as Partial<Envelope>;
  if (typeof payload !== "string" || typeof payloadType !== "string" || !Array.isArray(signatures))
    return undefined;
  if (Object.keys(more).length > 0 || signatures.length === 0) return undefined;
  if (signatures.length > limits.evidenceSignaturesMax) return undefined;
  const isSignature = (one: unknown) => typeof (one as { sig?: unknown } | null)?.sig === "string";
  return signatures.every(isSignature) ? (given as Envelope) : undefined;
}

function parsed({ payload }: Envelope): unknown {
  try {
    return JSON.parse(Buffer.from(payload, "base64").toString());
  } catch {
    return undefined;
  }
}

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

/** What of the statement is not as receipts are kept; nothing may be there that the service does not read. */
function problemOf(type: ReceiptType, given: unknown): string | undefined {
  const statement = given as Statement;
  return (
    mismatch(statement, statementShape, "statement") ??
    statement.subject.map((one) => mismatch(one, subjectShape, "subject")).find(Boolean) ??
    mismatch(statement.predicate, predicateShape, "predicate") ??
    mismatch(statement.predicate.receipt, receiptShapes[type], "predicate.receipt")
  );
}

function mismatch(value: unknown, shape: Shape, at: string): string | undefined {
  if (!isObject(value)) return `${at} is not an object`;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) return `${at} has the unknown member ${unknown}`;
  const unfit = Object.entries(shape).find(([name, fits]) => !fits(value[name]));
  return unfit && `${at}.${unfit[0]} is not as the documentation says`;
}

const text = (value: unknown) => typeof value === "string" && value.length <= 1_000;
const digest = (value: unknown) =>
  isObject(value) && Object.keys(value).length === 1 && /^[0-9a-f]{64}$/.test(String(value.sha256));
const count = (value: unknown) =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31);
const number = (value: unknown) => typeof value === "number";
const time = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
const check = (value: unknown) => isObject(value) && text(value.name) && typeof value.passed === "boolean";

const statementShape: Shape = {
  _type: (value) => value === "https://in-toto.io/Statement/v1",
  subject: (value) => Array.isArray(value) && value.length > 0 && value.length <= 50,
  predicateType: text,
  predicate: isObject,
};
const subjectShape: Shape = { name: (value) => value === undefined || text(value), digest };
const predicateShape: Shape = {
  receipt: isObject,
  // An export shows both as they are: neither is free text.
  environment_id: (value) => value === "" || /^[a-z][a-z0-9_-]{0,62}$/.test(String(value)),
  candidate_id: (value) => value === "" || isUlid(String(value)),
  result: (value) => value === "passed" || value === "failed" || value === "blocked",
  produced_at: time,
  expires_at: (value) => value === undefined || time(value),
  details: isObject,
};
const receiptShapes: Readonly<Record<ReceiptType, Shape>> = {
  scenario: { passed: count, failed: count, skipped: count },
  connector: {
    checks: (value) => Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(check),
  },
  strategy: { trials: count, baseline: number, candidate: number },
  runtime: {
    report_id: (value) => /^sha256:[0-9a-f]{64}$/.test(String(value)),
    contract_sha256: (value) => /^[0-9a-f]{64}$/.test(String(value)),
  },
  graph: {
    cycles: count,
    unresolved: (value) =>
      value === undefined || (Array.isArray(value) && value.length <= 100 && value.every(text)),
  },
  canary: { figures: isObject },
};
