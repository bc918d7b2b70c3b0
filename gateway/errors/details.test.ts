import { fromBinary } from "@bufbuild/protobuf";
import test from "ava";
import { limits, refuse } from "#base";
import { contractBytes, loadRegistry } from "#protos";
import { toPlain } from "../contract/index.ts";
import { connectErrorOf } from "./connect.ts";
import { statusBytes } from "./details.ts";
import { grpcErrorOf } from "./grpc.ts";
import { problemOf } from "./problem.ts";

function explained(count: number, leftOut: number) {
  const candidates = Array.from({ length: count }, (_, index) => ({
    recipient_id: String(index).padStart(26, "0"),
    eligible: false,
    chosen: false,
    reason: "no_capacity",
    detail: "in_flight 3 + cost 1 > capacity 3",
  }));
  return refuse("ROUTING_FAILED", "none is eligible", { explanation: { candidates, leftOut } });
}

function failureIn(bytes: Uint8Array) {
  const registry = loadRegistry(contractBytes());
  const read = (name: string, from: Uint8Array) => {
    const desc = registry.getMessage(name)!;
    return toPlain(desc, fromBinary(desc, from)) as Record<string, unknown>;
  };
  const { details } = read("google.rpc.Status", bytes) as { details: { type_url: string; value: string }[] };
  const found = details.find(({ type_url }) => type_url.endsWith("/service.api.RoutingFailure"))!;
  return read("service.api.RoutingFailure", Buffer.from(found.value, "base64"));
}

test("a few candidates are all in the details of an RPC error, in the words of REST", (t) => {
  const refusal = explained(3, 0);
  const { explanation } = problemOf(refusal, { errorsUrl: "/docs/errors", requestId: "r" });
  t.deepEqual(failureIn(statusBytes(refusal, "r")), { explanation });
});

test("the details of an RPC error stay small however many candidates there are, and say how many are left out", (t) => {
  const refusal = explained(9_000, 1_000);
  const bytes = statusBytes(refusal, "r");
  t.true(bytes.byteLength < limits.explainedTrailerBytesMax + 512);
  const { explanation, explanation_left_out } = failureIn(bytes) as {
    explanation: unknown[];
    explanation_left_out: number;
  };
  t.true(explanation.length > 20);
  t.is(explanation.length + explanation_left_out, 10_000);
  const problem = problemOf(refusal, { errorsUrl: "/docs/errors", requestId: "r" });
  t.is((problem.explanation as unknown[]).length, 9_000);
  t.is(problem.explanation_left_out, 1_000);
});

test("an RPC error with half of a character in its text can be written, and has the rest of it", (t) => {
  const refusal = refuse("INVALID_ARGUMENT", "there is no \ud83d here");
  const { details } = grpcErrorOf(refusal, "r");
  t.is(encodeURI(details), "there%20is%20no%20%EF%BF%BD%20here");
  t.is(connectErrorOf(refusal, "r").rawMessage, details);
});
