import { createHash } from "node:crypto";
import { type Case, nobody } from "./case.ts";
import { type Scope, stream } from "./workflow-stream.ts";
import type { World } from "./world.ts";

const bytes = Buffer.from("the bytes of an object");
const digest = createHash("sha256").update(bytes).digest("hex");

interface Prepared extends Scope {
  object_id: string;
  receipt: string;
}

/** A prepared object of a new stream. */
async function prepared(world: World): Promise<Prepared> {
  const scope = await stream(world);
  const request = { ...scope, idempotency_key: "k", digest, size: bytes.length, content_type: "text/plain" };
  const { object_id, authorization_receipt } = await world.call<{
    object_id: string;
    authorization_receipt: string;
  }>("WorkflowStreamService.PrepareObject", request);
  return { ...scope, object_id, receipt: authorization_receipt };
}

/** An uploaded object; the receipt is sent with the case's own call. */
async function uploaded(world: World, receipt = true): Promise<Scope & { object_id: string }> {
  const { receipt: given, ...scope } = await prepared(world);
  const headers = { "x-object-receipt": given };
  await world.stream(
    "WorkflowStreamService.UploadObject",
    [scope, { data: bytes.toString("base64") }],
    headers,
  );
  if (receipt) Object.assign(world.headers, headers);
  return scope;
}

async function committed(world: World): Promise<Scope & { object_id: string }> {
  const scope = await uploaded(world);
  await world.call("WorkflowStreamService.CommitObject", scope, world.headers);
  return scope;
}

export const cases: readonly Case[] = [
  {
    method: "WorkflowStreamService.PrepareObject",
    claim: "an object",
    request: async (world) => ({
      ...(await stream(world)),
      idempotency_key: "k",
      digest,
      size: bytes.length,
      schema: "s",
      expires_in_seconds: 60,
    }),
  },
  {
    method: "WorkflowStreamService.PrepareObject",
    claim: "one of more than 32 MiB",
    request: async (world) => ({ ...(await stream(world)), idempotency_key: "k", digest, size: 33_554_433 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.CommitObject",
    claim: "an uploaded one",
    request: (world) => uploaded(world),
  },
  { method: "WorkflowStreamService.CommitObject", claim: "a committed one", request: committed },
  {
    method: "WorkflowStreamService.UploadObject",
    claim: "the bytes that were announced",
    request: async (world) => {
      const { receipt, ...scope } = await prepared(world);
      world.headers["x-object-receipt"] = receipt;
      return [scope, { data: bytes.toString("base64") }];
    },
  },
  {
    method: "WorkflowStreamService.UploadObject",
    claim: "bytes with another digest",
    request: async (world) => {
      const { receipt, ...scope } = await prepared(world);
      world.headers["x-object-receipt"] = receipt;
      return [scope, { data: Buffer.alloc(bytes.length).toString("base64") }];
    },
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WorkflowStreamService.GetObject",
    claim: "a committed one",
    request: async (world) => [await committed(world)],
  },
  {
    method: "WorkflowStreamService.CommitObject",
    claim: "without the receipt",
    request: (world) => uploaded(world, false),
    refused: "PERMISSION_DENIED",
  },
  {
    method: "WorkflowStreamService.AbortObject",
    claim: "a prepared one",
    request: async (world) => {
      const { receipt: _, ...scope } = await prepared(world);
      return scope;
    },
  },
  {
    method: "WorkflowStreamService.AbortObject",
    claim: "an unknown one is not found",
    request: async (world) => ({ ...(await stream(world)), object_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "WorkflowStreamService.UploadObject",
    claim: "without the receipt",
    request: async (world) => {
      const { receipt: _, ...scope } = await prepared(world);
      return [scope, { data: bytes.toString("base64") }];
    },
    refused: "PERMISSION_DENIED",
  },
  {
    method: "WorkflowStreamService.GetObject",
    claim: "one that is not committed",
    request: async (world) => {
      const { receipt: _, ...scope } = await prepared(world);
      return [scope];
    },
    refused: "NOT_FOUND",
  },
];

export const decided = `
WorkflowStreamService.PrepareObject  | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects | workflow_stream:write | | I
WorkflowStreamService.UploadObject   | PUT /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id} | workflow_stream:write | | stream
WorkflowStreamService.CommitObject   | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}/commit | workflow_stream:write | | I
WorkflowStreamService.AbortObject    | POST /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id}/abort | workflow_stream:write | | I
WorkflowStreamService.GetObject      | GET /api/workflow-streams/runs/{run_id}/streams/{stream_id}/objects/{object_id} | workflow_stream:read | | stream
`;
