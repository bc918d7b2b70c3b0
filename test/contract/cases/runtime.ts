import { badVersion, type Case, nobody } from "./case.ts";

export const cases: readonly Case[] = [
  { method: "RuntimeService.GetCluster", claim: "a process that is alone", request: () => ({}) },
  {
    method: "RuntimeService.GetCluster",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuntimeService.DrainNode",
    claim: "a process that is alone has no nodes",
    request: () => ({ node_id: "n1" }),
    refused: "FAILED_PRECONDITION",
  },
  { method: "RuntimeService.ListShards", claim: "all of them", request: () => ({}) },
  {
    method: "RuntimeService.ListShards",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuntimeService.ListActors",
    claim: "of a tenant with none",
    request: () => ({ tenant_id: nobody }),
  },
  {
    method: "RuntimeService.ListActors",
    claim: "those that fail",
    // Of a kind that has no effects: other areas have some that fail.
    request: () => ({ failing: true, kind: "workflow_definition", limit: 2 }),
  },
  { method: "RuntimeService.ListActors", claim: "of no such kind", request: () => ({ kind: "unicorn" }) },
  {
    method: "RuntimeService.ListActors",
    claim: "a tenant is named by its id",
    request: () => ({ tenant_id: "acme" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuntimeService.ListActors",
    claim: "a list has its bounds",
    request: () => ({ limit: 1_001 }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
RuntimeService.GetCluster | GET /api/_meta/cluster | runtime:read | service | INT R
RuntimeService.DrainNode  | POST /api/_meta/cluster/nodes/{node_id}/drain | runtime:admin | service | INT N audited
RuntimeService.ListShards | GET /api/_meta/shards | runtime:read | service | INT R
RuntimeService.ListActors | GET /api/_meta/actors | runtime:read | service | INT R
`;
