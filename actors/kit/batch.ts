import { errorCodes, type Refusal } from "#base";

/** A refusal as one entry of a batch tells it (`BatchError`). */
export function batchError(refusal: Refusal): Record<string, unknown> {
  const { code, detail, reason, retryAfterMs, fields, explanation } = refusal;
  return {
    error_code: code,
    detail,
    reason: reason ?? "",
    retryable: errorCodes[code].retryable,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    errors: fields ?? [],
    ...(explanation && { explanation: explanation.candidates }),
    ...(explanation && explanation.leftOut > 0 && { explanation_left_out: explanation.leftOut }),
  };
}

/** Entries to send after a command that took `taken` of a batch: it may take more of the next ones, but hardly all. */
export function partMax(taken: number): number {
  return taken * 2;
}
