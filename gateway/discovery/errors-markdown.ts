import { errorCodes, keysOf } from "#base";
import { errorAdvice } from "./errors-catalogue.ts";

/** docs/errors.md, whole; a test compares the two. */
export function errorsMarkdown(): string {
  const codes = keysOf(errorCodes);
  const rows = codes.map((code) => {
    const { http, grpc, retryable } = errorCodes[code];
    const { means, do: advice } = errorAdvice[code];
    return `| \`${code}\` | ${http} | ${grpcNames[grpc]} | ${retryable ? "yes" : "no"} | ${means} ${advice} |`;
  });
  return `${head}\n| errorCode | HTTP | gRPC, Connect | retryable | what it means, what to do |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
}

const head = `# Errors

Every error has one \`errorCode\`, the same on every door. Branch on it: it never changes; titles and details may.
REST answers with RFC 9457 \`application/problem+json\` and the HTTP status below. Connect uses its own statuses and
gRPC its status; both carry \`errorCode\`, \`retryable\` and \`reason\` in \`google.rpc.ErrorInfo\`, field errors in
\`google.rpc.BadRequest\`, the pause before a repeat in \`google.rpc.RetryInfo\`, and why each recipient was out, where a
route asked for it, in \`service.api.RoutingFailure\`.

\`\`\`json
{
  "type": "/docs/errors/INVALID_ARGUMENT",
  "title": "Invalid argument",
  "status": 400,
  "detail": "config.backoff.max_ms must be at least 1",
  "errorCode": "INVALID_ARGUMENT",
  "retryable": false,
  "errors": [{ "field": "config.backoff.max_ms", "reason": "must be at least 1" }],
  "request_id": "5b1f6a52-…"
}
\`\`\`

\`reason\` narrows a code where there is more than one cause. \`errors\` names fields by their path, as the door
spells them: \`config.lease_seconds\` in REST and binary bodies, \`config.leaseSeconds\` in Connect JSON; a page is \`limit\`, \`cursor\` in REST and \`page_size\`,
\`page_token\` in RPC. At most twenty fields, or 4 KiB of text, are named. A 429 carries \`Retry-After\` in whole seconds and \`retry_after_ms\`. \`type\` is \`api.errors_url\` with
the code behind it; by default that is a page of this server. Faults of ours are masked: \`Internal error (ref: 8 hex
digits)\`, with the cause logged under that reference.
`;

const grpcNames: Readonly<Record<number, string>> = {
  1: "CANCELLED",
  3: "INVALID_ARGUMENT",
  4: "DEADLINE_EXCEEDED",
  5: "NOT_FOUND",
  6: "ALREADY_EXISTS",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  10: "ABORTED",
  11: "OUT_OF_RANGE",
  12: "UNIMPLEMENTED",
  13: "INTERNAL",
  14: "UNAVAILABLE",
  16: "UNAUTHENTICATED",
};
