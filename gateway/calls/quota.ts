import { hash } from "node:crypto";
import {
  type Method,
  type QuotaReservation,
  quotaOf,
  RefusedMessage,
  releaseQuota,
  reserveQuota,
} from "#actors";
import { type ErrorCode, isObject, isRefusal, type Refusal, RefusalError } from "#base";
import type { Asker } from "#runtime";
import type { Quota } from "../contract/method.ts";
import type { Call, Settle } from "./call.ts";
import { callerOf } from "./caller.ts";
import { idempotencyOf } from "./idempotency.ts";

/** Asks the tenant's quota before a call that it counts, and gives back what came to nothing. */
export function quotaGuard(asker: Asker) {
  return {
    /** The daily limit of what this call does; absent: none, or nothing of it is counted. */
    limitOf({ method, tenantFacts }: Call): number | undefined {
      return method.quota === undefined ? undefined : tenantFacts?.quotas[method.quota.operation];
    },

    unary(call: Call, message: unknown, limit: number, settle: Settle, go: (settle: Settle) => void): void {
      const quota = call.method.quota!;
      const amount = costOf(quota, message);
      const ref = refOf(call, message);
      const taken = { operation: quota.operation, amount, ...(ref !== undefined && { ref }) };
      const reservation: QuotaReservation = { ...taken, limit };
      ask(call, reserveQuota, reservation, (answer) => {
        if (isRefusal(answer)) {
          settle(new RefusalError(answer), undefined);
          return;
        }
        const { fresh, day } = answer;
        go((thrown, response) => {
          if (!fresh || !(call.replayed || isUndone(thrown))) settle(thrown, response);
          else {
            // Before the caller is told, so that its next call finds what this one gave back.
            ask(call, releaseQuota, { ...taken, day }, () => settle(thrown, response));
          }
        });
      });
    },

    /** Each message of a stream is a call of its own; one that does not fit is answered with that. */
    async *stream(call: Call, messages: AsyncIterable<unknown>, limit: number): AsyncIterable<unknown> {
      const quota = call.method.quota!;
      for await (const message of messages) {
        if (message instanceof RefusedMessage) {
          yield message;
          continue;
        }
        const reservation: QuotaReservation = {
          operation: quota.operation,
          amount: costOf(quota, message),
          limit,
        };
        const answer = await new Promise((resolve) => ask(call, reserveQuota, reservation, resolve));
        yield isRefusal(answer) ? new RefusedMessage(message, answer) : message;
      }
    },
  };

  function ask<Request, Response>(
    call: Call,
    method: Method<Request, Response>,
    request: Request,
    then: (answer: Refusal | Response) => void,
  ): void {
    const to = quotaOf(call.tenant ?? "");
    const asked = { to, method: method.name, request, caller: callerOf(call), deadlineMs: call.deadlineMs };
    asker.post(asked, (answer) => then(isRefusal(answer) ? answer : (answer.response as Response)));
  }
}

/** A batch costs its length, an object its bytes. */
export function costOf({ lengthOf, amountOf }: Quota, message: unknown): number {
  const field = amountOf ?? lengthOf;
  if (field === undefined) return 1;
  const value = isObject(message) ? message[field] : undefined;
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : 0;
}

/** The same key with another body, or for another pool, is another request: the message is part of it. */
function refOf(call: Call, message: unknown): string | undefined {
  const idempotency = idempotencyOf(call, message);
  if (idempotency === undefined) return undefined;
  return hash("sha256", JSON.stringify([idempotency.scope, idempotency.fingerprint]), "base64url");
}

/** Nothing has happened, for certain. After these codes it may have: the caller was told only that it is not known. */
const unknown: ReadonlySet<ErrorCode> = new Set(["UNAVAILABLE", "TIMEOUT", "CANCELLED", "INTERNAL"]);

function isUndone(thrown: unknown): boolean {
  const refusal: Refusal | undefined =
    thrown instanceof RefusalError ? thrown.refusal : isRefusal(thrown) ? thrown : undefined;
  return refusal !== undefined && !unknown.has(refusal.code);
}
