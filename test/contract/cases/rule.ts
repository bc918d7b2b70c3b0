import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const rule = async (world: World) => world.rule(await world.pool());

export const cases: readonly Case[] = [
  {
    method: "RuleService.CreateRule",
    claim: "a rule with a condition and an action",
    request: async (world) => ({
      pool_id: await world.pool(),
      name: "vip",
      condition: "item.attributes.vip == true",
      action: { set_priority: { priority: 1 } },
    }),
  },
  {
    method: "RuleService.CreateRule",
    claim: "a condition that does not compile is refused",
    request: async (world) => ({
      pool_id: await world.pool(),
      name: "vip",
      condition: "item..vip",
      action: { reject: { reason: "no" } },
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuleService.CreateRule",
    claim: "an action is required",
    request: async (world) => ({ pool_id: await world.pool(), name: "vip", condition: "true" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuleService.ListRules",
    claim: "the rules of a pool",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.rule(pool_id);
      return { pool_id };
    },
  },
  {
    method: "RuleService.ListRules",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "RuleService.GetRule",
    claim: "a rule is found by its id alone",
    request: async (world) => ({ rule_id: await rule(world) }),
  },
  {
    method: "RuleService.GetRule",
    claim: "an unknown one is not found",
    request: () => ({ rule_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "RuleService.UpdateRule",
    claim: "only what is named changes",
    request: async (world) => ({ rule_id: await rule(world), enabled: false, update_mask: ["enabled"] }),
  },
  {
    method: "RuleService.UpdateRule",
    claim: "a bad condition is refused",
    request: async (world) => ({ rule_id: await rule(world), condition: "1 +", update_mask: ["condition"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuleService.DeleteRule",
    claim: "a rule is deleted",
    request: async (world) => ({ rule_id: await rule(world) }),
  },
  {
    method: "RuleService.DeleteRule",
    claim: "another version is a conflict",
    request: async (world) => ({ rule_id: await rule(world), record_version: 99 }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "RuleService.ValidateRule",
    claim: "a condition with a mistake is an answer, not an error",
    request: () => ({ condition: "item.key ==" }),
  },
  {
    method: "RuleService.ValidateRule",
    claim: "an action that refers to a missing resource is reported",
    request: async (world) => ({
      condition: "true",
      pool_id: await world.pool(),
      action: { redirect: { pool_id: nobody } },
    }),
  },
  {
    method: "RuleService.CreateRule",
    claim: "a redirect to an unknown pool is refused",
    request: async (world) => ({
      pool_id: await world.pool(),
      name: "away",
      action: { redirect: { pool_id: nobody } },
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RuleService.ValidateRule",
    claim: "a condition that is too long is refused",
    request: () => ({ condition: "x".repeat(70_000) }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
RuleService.CreateRule   | POST /api/pools/{pool_id}/rules | rule:write | | I
RuleService.ListRules    | GET /api/pools/{pool_id}/rules | rule:read | | R C
RuleService.GetRule      | GET /api/rules/{rule_id} | rule:read | | R
RuleService.UpdateRule   | PATCH /api/rules/{rule_id} | rule:write | | I
RuleService.DeleteRule   | DELETE /api/rules/{rule_id} | rule:delete | | I
RuleService.ValidateRule | POST /api/rules/validate | rule:preview | | N
`;
