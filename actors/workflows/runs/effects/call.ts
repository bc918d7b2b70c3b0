import { type ErrorCode, errorCodes, RefusalError } from "#base";
import type { EffectHandlers, EffectRun } from "#runtime";
import type { ModuleParts } from "../../../parts.ts";
import type { Call } from "../../steps/index.ts";
import type { CallResult } from "../answers.ts";

interface Asked {
  readonly call: Call;
  readonly subject: string;
  readonly environment: string;
}

/** After these codes it may have happened: the same call is made again, with the same key, until it is known. */
const unknown: ReadonlySet<ErrorCode> = new Set(["UNAVAILABLE", "TIMEOUT", "CANCELLED", "INTERNAL"]);

/** Makes the calls of steps. The key is the same in every attempt, so a call applies once. */
export function runEffects({ call }: Pick<ModuleParts, "call">): EffectHandlers {
  return {
    workflow_call: {
      async run({ id, address, body, signal }: EffectRun<Asked>): Promise<CallResult> {
        const { call: asked, subject, environment } = body;
        const { tenant, kind, key } = address;
        const origin = asked.origin ? { origin: { kind, key, ref: id } } : {};
        const as = { tenant, subject, environment, key: `${key}/${id}`, signal, ...origin };
        try {
          return { answer: (await call(asked.method, asked.request, as)) as Record<string, unknown> };
        } catch (error) {
          if (!(error instanceof RefusalError) || unknown.has(error.refusal.code)) throw error;
          const { code, detail, reason } = error.refusal;
          const { retryable } = errorCodes[code];
          return { refused: { code, detail, retryable, ...(reason !== undefined && { reason }) } };
        }
      },
    },
  };
}
