import { errorCodes, type Refusal } from "#base";
import { retryAfterMsOf } from "./headers.ts";

/** RFC 9457, for REST. `errorCode` is what callers branch on. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errorCode: string;
  readonly retryable: boolean;
  readonly [member: string]: unknown;
}

export function problemOf(refusal: Refusal, answer: { errorsUrl: string; requestId: string }): Problem {
  const { http, title, retryable } = errorCodes[refusal.code];
  const retryAfterMs = retryAfterMsOf(refusal);
  return {
    type: `${answer.errorsUrl}/${refusal.code}`,
    title,
    status: http,
    detail: refusal.detail,
    errorCode: refusal.code,
    retryable,
    ...(refusal.reason === undefined ? undefined : { reason: refusal.reason }),
    ...(refusal.fields === undefined ? undefined : { errors: refusal.fields }),
    ...(retryAfterMs === undefined ? undefined : { retry_after_ms: retryAfterMs }),
    ...explanationOf(refusal),
    ...refusal.extra,
    request_id: answer.requestId,
  };
}

function explanationOf({ explanation }: Refusal): object | undefined {
  if (explanation === undefined) return undefined;
  const { candidates, leftOut } = explanation;
  return { explanation: candidates, ...(leftOut > 0 && { explanation_left_out: leftOut }) };
}
