import { errorCodes, type Refusal } from "#base";
import { refusalHeaders } from "../errors/headers.ts";
import { problemOf } from "../errors/problem.ts";
import type { HttpResponse } from "./server.ts";

/** A refusal as problem+json; apart from everything that knows the contract, because the main thread answers too. */
export function refusalAnswer(
  refusal: Refusal,
  answer: { requestId: string; errorsUrl: string; headers?: Iterable<readonly [string, string]> },
): HttpResponse {
  return {
    status: errorCodes[refusal.code].http,
    headers: [
      ...(answer.headers ?? [["x-request-id", answer.requestId] as const]),
      ...refusalHeaders(refusal),
      problemType,
      noStore,
    ],
    body: JSON.stringify(problemOf(refusal, answer)),
  };
}

const problemType = ["content-type", "application/problem+json"] as const;
const noStore = ["cache-control", "no-store"] as const;
