import { badVersion, type Case } from "./case.ts";

const service = "OperationalHealthService";

export const cases: readonly Case[] = [
  {
    method: `${service}.GetOperationalHealthReport`,
    claim: "an environment with nothing in it is unknown",
    request: () => ({ environment: "development", period: "24h" }),
  },
  {
    method: `${service}.GetOperationalHealthReport`,
    claim: "a period that is no multiple of five minutes is refused",
    request: () => ({ period: "7m" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.GetOperationalHealthReport`,
    claim: "a period in seconds is refused",
    request: () => ({ period: "90s" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: `${service}.ListScopes`,
    claim: "the caller's tenant and its environments",
    request: () => ({}),
  },
  {
    method: `${service}.ListScopes`,
    claim: "an old version is refused",
    request: () => ({}),
    headers: badVersion,
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
OperationalHealthService.GetOperationalHealthReport | GET /api/operational-health/report | operational_health:read | | R
OperationalHealthService.ListScopes                 | GET /api/operational-health/scopes | operational_health:read | | R C
`;
