import { newUlid, Random } from "#base";
import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const run_id = "01BX5ZZKBKACTAV9WEVGEMMVRZ";

export interface Scope {
  run_id: string;
  stream_id: string;
}

let made = 0;

/** Every call has its own run, so that stream names are free. */
function newRun(): string {
  return newUlid(Date.now(), new Random(`run-${++made}`));
}

/** A new stream with this many records. */
export async function stream(world: World, records = 0, fields: object = {}): Promise<Scope> {
  const run_id = newRun();
  const request = { run_id, name: "s", content_classes: ["json", "text", "binary"], ...fields };
  const { id } = await world.call<{ id: string }>("WorkflowStreamService.CreateStream", request);
  const scope = { run_id, stream_id: id };
  if (records > 0) {
    const list = Array.from({ length: records }, (_, n) => ({ payload: { n } }));
    await world.call("WorkflowStreamService.AppendRecords", { ...scope, records: list });
  }
  return scope;
}

const none: Scope = { run_id, stream_id: nobody };

export const cases: readonly Case[] = [
  {
    method: "WorkflowStreamService.CreateStream",
    claim: "one with everything",
    request: () => ({
      run_id: newRun(),
      name: "all",
      content_classes: ["text", "json", "binary", "tool_io", "model_output"],
      metadata_home: "eu-1",
      metadata_replicas: ["eu-2"],
      object_regions: ["eu-1"],
      client_egress_regions: ["eu-1"],
      log_region: "eu-1",
      retention: { max_age_seconds: 60, max_records: 1_000, max_bytes: 1_000_000 },
      redaction: { json_pointers: ["/user/mail"] },
      authorization: { read_roles: ["admin"], append_roles: ["admin"], ack_roles: ["admin"] },
      ceilings: { unread_items: 10, unread_bytes: 1_000, total_items: 100, total_bytes: 10_000 },
      overflow: "block",
      block_ms: 100,
    }),
  },
  {
    method: "WorkflowStreamService.CreateStream",
    claim: "raw hidden model reasoning is refused",
    request: () => ({ run_id, name: "hidden", content_classes: ["model_reasoning_raw"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.CreateStream",
    claim: "a role that the service does not have is refused",
    request: () => ({
      run_id,
      name: "roles",
      content_classes: ["json"],
      authorization: { append_roles: ["writer"] },
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.CreateStream",
    claim: "another definition under the same name is refused",
    request: async (world) => {
      const { run_id } = await stream(world);
      return { run_id, name: "s", content_classes: ["text"] };
    },
    refused: "ALREADY_EXISTS",
  },
  { method: "WorkflowStreamService.GetStream", claim: "one by its id", request: (world) => stream(world, 2) },
  {
    method: "WorkflowStreamService.GetStream",
    claim: "an unknown one is not found",
    request: () => none,
    refused: "NOT_FOUND",
  },
  {
    method: "WorkflowStreamService.ListStreams",
    claim: "a page",
    request: async (world) => {
      const { run_id } = await stream(world);
      return { run_id, page_size: 1 };
    },
  },
  {
    method: "WorkflowStreamService.ListStreams",
    claim: "a forged cursor is refused",
    request: () => ({ run_id, page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.AppendRecords",
    claim: "payloads, bytes, and a producer",
    request: async (world) => ({
      ...(await stream(world)),
      records: [
        { payload: { deep: [1, null, "ü"] }, producer: { id: "p", epoch: 0, sequence: 0 } },
        { bytes: "AAEC", content_type: "image/x", producer: { id: "p", epoch: 0, sequence: 1 } },
        {
          kind: "control",
          payload: null,
          expected_sequence: 3,
          producer: { id: "p", epoch: 0, sequence: 2 },
        },
      ],
    }),
  },
  {
    method: "WorkflowStreamService.AppendRecords",
    claim: "an expected sequence that differs is a conflict",
    request: async (world) => ({
      ...(await stream(world, 1)),
      records: [{ payload: 1, expected_sequence: 1 }],
    }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "WorkflowStreamService.AppendRecords",
    claim: "a closed stream takes nothing",
    request: async (world) => {
      const scope = await stream(world, 1);
      await world.call("WorkflowStreamService.CloseStream", scope);
      return { ...scope, records: [{ payload: 1 }] };
    },
    refused: "STATE_CONFLICT",
  },
  {
    method: "WorkflowStreamService.AppendRecords",
    claim: "backpressure",
    request: async (world) => ({
      ...(await stream(world, 1, { ceilings: { unread_items: 1 } })),
      records: [{ payload: 1 }],
    }),
    refused: "RATE_LIMITED",
  },
  {
    method: "WorkflowStreamService.AppendRecords",
    claim: "the total ceiling",
    request: async (world) => ({
      ...(await stream(world, 1, { ceilings: { total_items: 1 } })),
      records: [{ payload: 1 }],
    }),
    refused: "QUOTA_EXCEEDED",
  },
  {
    method: "WorkflowStreamService.AppendRecords",
    claim: "a record over 64 KiB",
    request: async (world) => ({ ...(await stream(world)), records: [{ payload: "x".repeat(65_536) }] }),
    refused: "PAYLOAD_TOO_LARGE",
  },
  {
    method: "WorkflowStreamService.ReadRecords",
    claim: "those after a cursor",
    request: async (world) => ({ ...(await stream(world, 3)), after_sequence: 1, limit: 1, wait_ms: 10 }),
  },
  {
    method: "WorkflowStreamService.ReadRecords",
    claim: "a future cursor is invalid",
    request: async (world) => ({ ...(await stream(world, 3)), after_sequence: 4 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.Subscribe",
    claim: "records, then the end",
    request: async (world) => {
      const scope = await stream(world, 3);
      await world.call("WorkflowStreamService.CloseStream", scope);
      return [{ ...scope, after_sequence: 1 }];
    },
  },
  {
    method: "WorkflowStreamService.Subscribe",
    claim: "a record that is appended meanwhile",
    request: async (world) => [await stream(world, 1)],
    take: 1,
  },
  {
    method: "WorkflowStreamService.Subscribe",
    claim: "a future cursor is invalid",
    request: async (world) => [{ ...(await stream(world, 1)), after_sequence: 2 }],
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.Subscribe",
    claim: "an unknown one is not found",
    request: () => [none],
    refused: "NOT_FOUND",
  },
  {
    method: "WorkflowStreamService.PutConsumer",
    claim: "a new one",
    request: async (world) => ({ ...(await stream(world, 2)), consumer_id: "c-1" }),
  },
  {
    method: "WorkflowStreamService.PutConsumer",
    claim: "of no stream",
    request: () => ({ ...none, consumer_id: "c-1" }),
    refused: "NOT_FOUND",
  },
  {
    method: "WorkflowStreamService.DeleteConsumer",
    claim: "one that is there",
    request: async (world) => {
      const request = { ...(await stream(world, 2)), consumer_id: "c-1" };
      await world.call("WorkflowStreamService.PutConsumer", request);
      return request;
    },
  },
  {
    method: "WorkflowStreamService.DeleteConsumer",
    claim: "one that is not there",
    request: async (world) => ({ ...(await stream(world)), consumer_id: "c-1" }),
    refused: "NOT_FOUND",
  },
  {
    method: "WorkflowStreamService.ListConsumers",
    claim: "a page",
    request: async (world) => {
      const scope = await stream(world, 2);
      for (const consumer_id of ["a", "b"])
        await world.call("WorkflowStreamService.PutConsumer", { ...scope, consumer_id });
      return { ...scope, page_size: 1 };
    },
  },
  {
    method: "WorkflowStreamService.ListConsumers",
    claim: "a forged cursor is refused",
    request: async (world) => ({ ...(await stream(world)), page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.Acknowledge",
    claim: "a record",
    request: async (world) => ({ ...(await stream(world, 3)), consumer_id: "c", sequence: 2 }),
  },
  {
    method: "WorkflowStreamService.Acknowledge",
    claim: "a lower one",
    request: async (world) => {
      const scope = await stream(world, 3);
      await world.call("WorkflowStreamService.Acknowledge", { ...scope, consumer_id: "c", sequence: 2 });
      return { ...scope, consumer_id: "c", sequence: 1 };
    },
    refused: "STATE_CONFLICT",
  },
  {
    method: "WorkflowStreamService.Acknowledge",
    claim: "one beyond the latest",
    request: async (world) => ({ ...(await stream(world, 3)), consumer_id: "c", sequence: 4 }),
    refused: "INVALID_ARGUMENT",
  },
  { method: "WorkflowStreamService.CloseStream", claim: "an open one", request: (world) => stream(world, 1) },
  {
    method: "WorkflowStreamService.CloseStream",
    claim: "an unknown one is not found",
    request: () => none,
    refused: "NOT_FOUND",
  },
  {
    method: "WorkflowStreamService.SetLegalHold",
    claim: "a hold",
    request: async (world) => ({
      ...(await stream(world)),
      held: true,
      reason: "inquiry",
      reference: "case-17",
    }),
  },
  {
    method: "WorkflowStreamService.SetLegalHold",
    claim: "a hold without a reason",
    request: async (world) => ({ ...(await stream(world)), held: true }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
WorkflowStreamService.CreateStream   | POST /api/workflow-streams/runs/{run_id}/streams | workflow_stream:write | | I
WorkflowStreamService.GetStream      | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id} | workflow_stream:read | | R
WorkflowStreamService.ListStreams    | GET /api/workflow-streams/runs/{run_id}/streams | workflow_stream:read | | R C
WorkflowStreamService.AppendRecords  | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/records | workflow_stream:write | | I
WorkflowStreamService.ReadRecords    | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/records | workflow_stream:read | | R
WorkflowStreamService.Subscribe      | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/subscribe | workflow_stream:read | | stream
WorkflowStreamService.PutConsumer    | PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id} | workflow_stream:write | | I
WorkflowStreamService.DeleteConsumer | DELETE /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id} | workflow_stream:write | | I
WorkflowStreamService.ListConsumers  | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers | workflow_stream:read | | R C
WorkflowStreamService.Acknowledge    | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/consumers/{consumer_id}/ack | workflow_stream:write | | I
WorkflowStreamService.CloseStream    | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/close | workflow_stream:write | | I
WorkflowStreamService.SetLegalHold   | PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/legal-hold | workflow_stream:admin | | I audited
`;
