import { type FieldError, invalid, limits, type Refusal, toRfc3339, uncanonical } from "#base";
import type { Predicate, ReceiptBody, ReceiptRequest, Statement } from "../kit/evidence.ts";
import { type ReceiptType, receiptTypes } from "../kit/evidence-gate.ts";
import type { Pack } from "./record.ts";

const statementType = "https://in-toto.io/Statement/v1";

function predicateTypeOf(type: ReceiptType): string {
  return `urn:switchyard:receipt:${type}:v1`;
}

/** Of a predicate type; `undefined`: it is no receipt of ours. */
export function typeOfPredicate(predicateType: unknown): ReceiptType | undefined {
  return receiptTypes.find((type) => predicateTypeOf(type) === predicateType);
}

export function typeOf(request: ReceiptRequest): ReceiptType | undefined {
  return receiptTypes.find((type) => request[type] !== undefined);
}

/** The statement that a receipt is kept as. */
export function statementOf(
  type: ReceiptType,
  request: ReceiptRequest,
  pack: Pick<Pack, "environment" | "candidate">,
  now: number,
): Statement | Refusal {
  const { candidate, environment } = pack;
  const given = request.subjects ?? [];
  const subjects =
    given.length > 0 || !candidate
      ? given
      : [{ name: `candidate/${candidate.id}`, digest: candidate.digest }];
  const { details = {}, expires_at } = request;
  if (request.result === undefined || request.result === "")
    return invalid({ field: "result", reason: "is required" });
  const statement: Statement = {
    _type: statementType,
    subject: subjects.map(({ name, digest }) => ({
      name,
      digest: { sha256: digest.slice("sha256:".length) },
    })),
    predicateType: predicateTypeOf(type),
    predicate: {
      receipt: request[type]!,
      environment_id: request.produced_in ?? environment,
      candidate_id: request.candidate_id ?? candidate?.id ?? "",
      result: request.result,
      produced_at: request.produced_at ?? toRfc3339(now),
      ...(expires_at !== undefined && { expires_at }),
      details,
    },
  };
  return checkStatement(type, statement, now) ?? statement;
}

/** What the contract cannot say: times, sizes, and that the counts bear the result out. */
export function checkStatement(type: ReceiptType, statement: Statement, now: number): Refusal | undefined {
  const { subject, predicate } = statement;
  const problems: FieldError[] = [];
  const wrong = (field: string, reason: string) => problems.push({ field, reason });
  if (subject.length === 0) wrong("subjects", "has to name at least one: the pack has no candidate yet");
  const produced = Date.parse(predicate.produced_at);
  if (produced > now + limits.evidenceClockSkewMs) wrong("produced_at", "is in the future");
  if (now - produced > limits.evidenceAgeMsMax) wrong("produced_at", "is more than 400 days ago");
  if (predicate.expires_at !== undefined) {
    const expires = Date.parse(predicate.expires_at);
    if (expires <= produced) wrong("expires_at", "is not after produced_at");
    if (expires - produced > limits.evidenceAgeMsMax)
      wrong("expires_at", "is more than 400 days after produced_at");
  }
  const bytes = Buffer.byteLength(JSON.stringify(predicate.details));
  if (bytes > limits.evidenceDetailsBytesMax)
    wrong("details", `is ${bytes} bytes as JSON, more than ${limits.evidenceDetailsBytesMax}`);
  const unlike = countsAgainst(type, predicate);
  if (unlike !== undefined) wrong("result", unlike);
  if (problems.length > 0) return invalid(...problems);
  return uncanonical(statement, "receipt");
}

/** Why the counts do not bear the result out. `blocked` says that nothing could be tested. */
function countsAgainst(type: ReceiptType, { receipt, result }: Predicate): string | undefined {
  if (result === "blocked") return undefined;
  const counts = countsOf(type, receipt);
  if (counts === undefined) return undefined;
  const { tested, failed } = counts;
  if (result === "failed" && failed === 0) return "is failed, and nothing in the receipt failed";
  if (result === "passed" && failed > 0) return `is passed, and ${failed} failed`;
  if (result === "passed" && tested === 0) return "is passed, and nothing was tested";
  return undefined;
}

/** The numbers of a receipt and no others, each with its default; those of a connector's checks are counted. */
export function numbersOf(type: ReceiptType, receipt: ReceiptBody): Readonly<Record<string, number>> {
  switch (type) {
    case "scenario": {
      const { passed = 0, failed = 0, skipped = 0 } = receipt;
      return { passed, failed, skipped };
    }
    case "connector": {
      const { checks = [] } = receipt;
      const passed = checks.filter((one) => one.passed).length;
      return { passed, failed: checks.length - passed };
    }
    case "strategy": {
      const { trials = 0, baseline = 0, candidate = 0 } = receipt;
      return { trials, baseline, candidate };
    }
    case "graph":
      return { cycles: receipt.cycles ?? 0, unresolved: receipt.unresolved?.length ?? 0 };
    case "runtime":
    case "canary":
      return {};
  }
}

/** `undefined`: the receipt has no counts that say it. */
function countsOf(type: ReceiptType, receipt: ReceiptBody): { tested: number; failed: number } | undefined {
  const { passed = 0, failed = 0, cycles = 0, unresolved = 0, trials = 0 } = numbersOf(type, receipt);
  switch (type) {
    case "scenario":
    case "connector":
      return { tested: passed + failed, failed };
    case "graph":
      return { tested: 1, failed: cycles + unresolved };
    case "strategy":
      // Which score is better is the producer's to say.
      return trials > 0 ? undefined : { tested: 0, failed: 1 };
    case "runtime":
    case "canary":
      return undefined;
  }
}
