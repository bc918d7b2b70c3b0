import { badVersion, type Case } from "./case.ts";

export const cases: readonly Case[] = [
  { method: "MetaService.GetServices", claim: "the capabilities are listed", request: () => ({}) },
  {
    method: "MetaService.GetServices",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  { method: "MetaService.WhoAmI", claim: "who calls", request: () => ({}) },
  {
    method: "MetaService.WhoAmI",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  { method: "CapabilityService.GetPosture", claim: "the posture", request: () => ({}) },
  {
    method: "CapabilityService.GetPosture",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "CapabilityService.ListCapabilities",
    claim: "a page of all of them",
    request: () => ({ page_size: 2, include_disabled: true }),
  },
  {
    method: "CapabilityService.ListCapabilities",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "CapabilityService.GetCapability",
    claim: "one by its id",
    request: async (world) => {
      const listed = await world.call<{ capabilities: { id: string }[] }>(
        "CapabilityService.ListCapabilities",
        {},
      );
      return { id: listed.capabilities[0]!.id };
    },
  },
  {
    method: "CapabilityService.GetCapability",
    claim: "an unknown one is not found",
    request: () => ({ id: "levitation" }),
    refused: "NOT_FOUND",
  },
  { method: "ConfigService.GetConfigSchema", claim: "the settings as a JSON Schema", request: () => ({}) },
  {
    method: "ConfigService.GetConfigSchema",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
  { method: "ConfigService.ExportConfig", claim: "the settings as a document", request: () => ({}) },
  {
    method: "ConfigService.ExportConfig",
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
MetaService.WhoAmI                 | GET /api/_meta/whoami | meta:read | | R
MetaService.GetServices            | GET /api/_meta/services | meta:read | | R
CapabilityService.GetPosture       | GET /api/capabilities | capability:read | | R
CapabilityService.ListCapabilities | GET /api/v2/capabilities | capability:read | | R C
CapabilityService.GetCapability    | GET /api/v2/capabilities/{id} | capability:read | | R
ConfigService.GetConfigSchema      | GET /api/config/schema | config:read | | R
ConfigService.ExportConfig         | GET /api/config/export | config:read | | R
`;
