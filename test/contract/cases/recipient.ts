import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const recipient = async (world: World) => world.recipient(await world.pool());

export const cases: readonly Case[] = [
  {
    method: "RecipientService.CreateRecipient",
    claim: "what is given comes back",
    request: async (world) => ({
      pool_id: await world.pool(),
      name: "ada",
      weight: 3,
      labels: { region: "eu" },
      skills: { french: 4 },
      metadata: { shift: "late", level: 2 },
    }),
  },
  {
    method: "RecipientService.CreateRecipient",
    claim: "if_absent answers with the recipient of that name",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.recipient(pool_id, { name: "ada" });
      return { pool_id, name: "ada", if_absent: true };
    },
  },
  {
    method: "RecipientService.CreateRecipient",
    claim: "a weight below zero is refused with its field",
    request: async (world) => ({ pool_id: await world.pool(), name: "ada", weight: -1 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RecipientService.CreateRecipient",
    claim: "a name that is too long for an error is cut between two characters",
    request: async (world) => ({
      pool_id: await world.pool(),
      name: "ada",
      labels: { ["😀".repeat(200)]: "x", [`a${"😀".repeat(200)}`]: "y" },
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RecipientService.CreateRecipient",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody, name: "ada" }),
    refused: "NOT_FOUND",
  },
  {
    method: "RecipientService.ListRecipients",
    claim: "those of one name",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.recipient(pool_id, { name: "ada" });
      await world.recipient(pool_id, { name: "bob" });
      return { pool_id, name: "bob" };
    },
  },
  {
    method: "RecipientService.ListRecipients",
    claim: "the recipients of a pool",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.recipient(pool_id);
      await world.recipient(pool_id);
      return { pool_id, page_size: 1 };
    },
  },
  {
    method: "RecipientService.ListRecipients",
    claim: "cursor and offset exclude each other",
    request: async (world) => ({ pool_id: await world.pool(), page_token: "x", offset: 1 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RecipientService.GetRecipient",
    claim: "a recipient is found by its id alone",
    request: async (world) => ({ recipient_id: await recipient(world) }),
  },
  {
    method: "RecipientService.GetRecipient",
    claim: "an unknown one is not found",
    request: () => ({ recipient_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "RecipientService.UpdateRecipient",
    claim: "only what is named changes",
    request: async (world) => ({ recipient_id: await recipient(world), weight: 7, update_mask: ["weight"] }),
  },
  {
    method: "RecipientService.UpdateRecipient",
    claim: "an unknown one is not found",
    request: () => ({ recipient_id: nobody, weight: 7, update_mask: ["weight"] }),
    refused: "NOT_FOUND",
  },
  {
    method: "RecipientService.DeleteRecipient",
    claim: "a recipient is deleted",
    request: async (world) => ({ recipient_id: await recipient(world) }),
  },
  {
    method: "RecipientService.DeleteRecipient",
    claim: "another version is a conflict",
    request: async (world) => ({ recipient_id: await recipient(world), record_version: 99 }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "RecipientService.PauseRecipient",
    claim: "a recipient is paused",
    request: async (world) => ({ recipient_id: await recipient(world) }),
  },
  {
    method: "RecipientService.PauseRecipient",
    claim: "a malformed id is refused",
    request: () => ({ recipient_id: "nobody" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "RecipientService.ResumeRecipient",
    claim: "a paused one becomes active again",
    request: async (world) => {
      const recipient_id = await recipient(world);
      await world.call("RecipientService.PauseRecipient", { recipient_id });
      return { recipient_id };
    },
  },
  {
    method: "RecipientService.ResumeRecipient",
    claim: "an unknown one is not found",
    request: () => ({ recipient_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "RecipientService.Heartbeat",
    claim: "a recipient is alive",
    request: async (world) => ({ recipient_id: await recipient(world), ttl_seconds: 60 }),
  },
  {
    method: "RecipientService.Heartbeat",
    claim: "a time to live of zero is refused",
    request: async (world) => ({ recipient_id: await recipient(world), ttl_seconds: 0 }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
RecipientService.CreateRecipient | POST /api/pools/{pool_id}/recipients | recipient:write | | I
RecipientService.ListRecipients  | GET /api/pools/{pool_id}/recipients | recipient:read | | R C
RecipientService.GetRecipient    | GET /api/recipients/{recipient_id} | recipient:read | | R
RecipientService.UpdateRecipient | PATCH /api/recipients/{recipient_id} | recipient:write | | I
RecipientService.DeleteRecipient | DELETE /api/recipients/{recipient_id} | recipient:delete | | I
RecipientService.PauseRecipient  | POST /api/recipients/{recipient_id}/pause | recipient:write | | I
RecipientService.ResumeRecipient | POST /api/recipients/{recipient_id}/resume | recipient:write | | I
RecipientService.Heartbeat       | POST /api/recipients/{recipient_id}/heartbeat | recipient:write | | I
`;
