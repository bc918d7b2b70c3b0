import type { Logger } from "pino";
import { type ErrorCode, limits } from "#base";
import type { Call } from "../calls/call.ts";
import type { CredentialKind, CredentialReason } from "../calls/stages/credential-error.ts";
import { LineLimit } from "../calls/stages/line-limit.ts";
import type { Metrics } from "./metrics.ts";

const kinds: readonly CredentialKind[] = ["api_key", "bearer", "session", "certificate", "anonymous", "none"];

/** Who was let in and who was not, as counters and as bounded log lines. Subjects and addresses are for the audit log. */
export function createAccessTelemetry(metrics: Metrics, log: Logger) {
  // Shown as 0 from the start.
  for (const plane of ["external", "internal"])
    for (const kind of kinds) metrics.add("service_credentials_accepted_total", { plane, kind }, 0);
  const refusals = linesOf("more refused credentials, left out");
  const denials = linesOf("more denied calls, left out");

  return {
    credentialsAccepted({ plane }: Call, kind: CredentialKind): void {
      metrics.add("service_credentials_accepted_total", { plane, kind });
    },
    credentialsRefused(call: Call, kind: CredentialKind, reason: CredentialReason): void {
      metrics.add("service_credentials_refused_total", { plane: call.plane, kind, reason });
      if (refusals.take()) log.warn({ ...fieldsOf(call), kind, reason }, "credentials refused");
    },
    /** Told of every call that was refused; most codes are no denials. */
    refused(call: Call, code: ErrorCode): void {
      if (!isDenial(code)) return;
      metrics.add("service_denials_total", { plane: call.plane, code });
      if (denials.take())
        log.warn({ ...fieldsOf(call), code, tenant: call.principal?.tenant }, "call denied");
    },
  };

  function linesOf(text: string): LineLimit {
    return new LineLimit(limits.accessLinesMax, (leftOut) => log.warn({ left_out: leftOut }, text));
  }
}

function isDenial(code: ErrorCode): boolean {
  return code === "PERMISSION_DENIED" || code === "TENANT_MISMATCH" || code === "ENTITLEMENT_DENIED";
}

function fieldsOf({ requestId, method, plane, protocol }: Call) {
  return { request_id: requestId, method: method.name, plane, protocol };
}
