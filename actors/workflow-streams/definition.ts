import { hash } from "node:crypto";
import { limits } from "#base";
import type { Definition } from "./stream.ts";

/** As the contract has it, checked. */
export interface CreateRequest {
  readonly run_id: string;
  /** Not of the contract: that of the run, where there is one. */
  readonly environment?: string;
  readonly name: string;
  readonly content_classes: readonly string[];
  readonly metadata_home?: string;
  readonly metadata_replicas?: readonly string[];
  readonly object_regions?: readonly string[];
  readonly client_egress_regions?: readonly string[];
  readonly log_region?: string;
  readonly retention?: { max_age_seconds?: number; max_records?: number; max_bytes?: number };
  readonly redaction?: { json_pointers?: readonly string[] };
  readonly authorization?: {
    read_roles?: readonly string[];
    append_roles?: readonly string[];
    ack_roles?: readonly string[];
  };
  readonly ceilings?: {
    unread_items?: number;
    unread_bytes?: number;
    total_items?: number;
    total_bytes?: number;
  };
  readonly overflow?: "reject" | "block";
  readonly block_ms?: number;
}

interface Given {
  readonly id: string;
  readonly tenant: string;
  readonly environment: string;
  readonly createdAt: number;
  readonly secret: string;
}

export function definitionOf(request: CreateRequest, given: Given): Definition {
  const { retention = {}, authorization = {}, ceilings = {} } = request;
  return {
    ...given,
    runId: request.run_id,
    name: request.name,
    contentClasses: [...request.content_classes],
    regions: {
      metadataHome: request.metadata_home ?? "",
      metadataReplicas: [...(request.metadata_replicas ?? [])],
      objectRegions: [...(request.object_regions ?? [])],
      clientEgressRegions: [...(request.client_egress_regions ?? [])],
      logRegion: request.log_region ?? "",
    },
    retention: {
      maxAgeMs: (retention.max_age_seconds ?? 0) * 1_000,
      maxRecords: retention.max_records ?? 0,
      maxBytes: retention.max_bytes ?? 0,
    },
    redaction: [...(request.redaction?.json_pointers ?? [])],
    roles: {
      read: [...(authorization.read_roles ?? [])],
      append: [...(authorization.append_roles ?? [])],
      ack: [...(authorization.ack_roles ?? [])],
    },
    ceilings: {
      unreadItems: ceilings.unread_items ?? limits.streamUnreadItems,
      unreadBytes: ceilings.unread_bytes ?? limits.streamUnreadBytes,
      ...(ceilings.total_items !== undefined && { totalItems: ceilings.total_items }),
      ...(ceilings.total_bytes !== undefined && { totalBytes: ceilings.total_bytes }),
    },
    blockMs: request.overflow === "block" ? (request.block_ms ?? limits.streamBlockMs) : 0,
  };
}

/** The same for definitions that say the same. */
export function digestOf(definition: Definition): string {
  const { id: _, createdAt: __, secret: ___, ...said } = definition;
  return hash("sha256", JSON.stringify(said), "base64url");
}
