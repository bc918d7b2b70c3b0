import test from "ava";
import { decided } from "../../test/contract/cases/index.ts";
import { type ContractMethod, loadContract } from "./index.ts";

test("every method has the address, the permission and the behaviour that was decided", (t) => {
  const lines = decided.map((line) => line.split("|").map((part) => part.trim()));
  const methods = loadContract().methods;
  t.deepEqual(methods.map(lineOf).sort(byName), lines.sort(byName));
});

test("a method has the governance of its service, and its own where it differs", (t) => {
  const of = (name: string) => loadContract().byName.get(name)!.governance;
  t.like(of("CapabilityService.GetCapability"), { lifecycle: "supported", audience: "tenant" });
  t.like(of("CapabilityService.GetPosture"), { lifecycle: "operational", audience: "tenant" });
  t.deepEqual(of("RuntimeService.ListShards"), {
    lifecycle: "internal",
    audience: "internal",
    authenticationRequired: true,
    authorizationRequired: true,
    resource: "runtime",
    action: "read",
    scopes: [],
    roles: ["service"],
    internalOnly: true,
  });
});

test("quotas name the operations that were decided, and a batch costs the length of its list", (t) => {
  const counted = loadContract().methods.flatMap(({ name, quota }) => (quota ? [[name, quota]] : []));
  t.deepEqual(Object.fromEntries(counted), {
    "ConnectorService.ExecuteAction": { operation: "connector_execute" },
    "NotificationService.Trigger": { operation: "notification_trigger" },
    "OutcomeService.RecordOutcome": { operation: "outcome" },
    "OutcomeService.RecordOutcomes": { operation: "outcome", lengthOf: "outcomes" },
    "QueueService.Enqueue": { operation: "enqueue" },
    "QueueService.EnqueueBatch": { operation: "enqueue", lengthOf: "items" },
    "RoutingService.Route": { operation: "route" },
    "RoutingService.RouteBatch": { operation: "route", lengthOf: "routes" },
    "RoutingService.RouteStream": { operation: "route" },
    "SubscriberService.SendEndpointConfirmation": { operation: "notification_trigger" },
    "WorkflowStreamService.PrepareObject": { operation: "object_bytes", amountOf: "size" },
    "WorkflowStreamService.AppendRecords": { operation: "stream_append", lengthOf: "records" },
    "WorkflowRunService.StartRun": { operation: "workflow_run" },
  });
});

test("no method that changes something is bound to GET: a page of another site may send one", (t) => {
  const methods = loadContract().methods.filter(({ rest }) => rest.some(({ verb }) => verb === "GET"));
  t.true(methods.length > 0);
  // A server stream changes nothing: it has one request, and only tells.
  for (const { name, readOnly, kind } of methods) t.true(readOnly || kind === "server_streaming", name);
});

function lineOf(method: ContractMethod): string[] {
  const { resource, action, scopes, roles } = method.governance;
  return [
    method.name,
    method.rest.map(({ verb, template }) => `${verb} ${template}`).join(", "),
    [`${resource}:${action}`, ...scopes].join(" + "),
    roles.join(" "),
    flagsOf(method).join(" "),
  ];
}

function flagsOf(method: ContractMethod): string[] {
  return [
    ...(method.governance.internalOnly ? ["INT"] : []),
    ...(method.kind === "unary" ? [] : ["stream"]),
    ...(method.readOnly ? ["R"] : []),
    ...(method.idempotent ? ["I"] : []),
    ...(method.kind === "unary" && !method.readOnly && !method.idempotent ? [repeatOf(method)] : []),
    ...(method.pagination?.convention === "cursor" ? ["C"] : []),
    ...(method.audit === "always" ? ["audited"] : []),
  ];
}

/** What is neither read-only nor repeated by key is fenced by a token, or does nothing. */
function repeatOf({ descriptor }: ContractMethod): string {
  return descriptor.input.fields.some(({ name }) => name === "lease_token") ? "T" : "N";
}

function byName([a]: readonly string[], [b]: readonly string[]): number {
  return a! < b! ? -1 : 1;
}
