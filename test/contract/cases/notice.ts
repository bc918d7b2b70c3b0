import type { Case } from "./case.ts";
import type { World } from "./world.ts";

let made = 0;
/** Keys ascend: a page of one then has the case's own resource, whatever other cases created. */
const newKey = () => `unique-${Date.now()}${String(made++).padStart(6, "0")}`;
const preference = { all: { enabled: true }, channels: { sms: { enabled: false, read_only: true } } };

export async function notice(world: World, fields: object = {}): Promise<string> {
  const workflow_key = newKey();
  await world.call("NoticeService.PutNotice", { workflow_key, preference, ...fields });
  return workflow_key;
}

async function user(world: World): Promise<object> {
  const request = { workflow_key: await notice(world), user_id: "u1" };
  await world.call("NoticeService.PutUserPreference", { ...request, preference });
  return request;
}

export const cases: readonly Case[] = [
  {
    method: "NoticeService.PutNotice",
    claim: "a first version",
    request: () => ({ workflow_key: newKey(), preference, ttl_seconds: 60 }),
  },
  {
    method: "NoticeService.PutNotice",
    claim: "a second version",
    request: async (world) => ({ workflow_key: await notice(world), version: 1 }),
  },
  {
    method: "NoticeService.PutNotice",
    claim: "another version than the caller saw is a conflict",
    request: async (world) => ({ workflow_key: await notice(world), version: 7 }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "NoticeService.PutNotice",
    claim: "a condition that does not compile is refused with its position",
    request: () => ({ workflow_key: newKey(), preference: { condition: "(" } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "NoticeService.ListNotices",
    claim: "a page of workflows",
    request: async (world) => {
      await notice(world);
      await notice(world);
      return { page_size: 1 };
    },
  },
  {
    method: "NoticeService.ListNotices",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "AAAA" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "NoticeService.GetNotice",
    claim: "one workflow",
    request: async (world) => ({ workflow_key: await notice(world) }),
  },
  {
    method: "NoticeService.GetNotice",
    claim: "an unknown one is not found",
    request: () => ({ workflow_key: "no-such-workflow" }),
    refused: "NOT_FOUND",
  },
  {
    method: "NoticeService.DeleteNotice",
    claim: "it is deleted",
    request: async (world) => ({ workflow_key: await notice(world) }),
  },
  {
    method: "NoticeService.DeleteNotice",
    claim: "an unknown one is not found",
    request: () => ({ workflow_key: "no-such-workflow" }),
    refused: "NOT_FOUND",
  },
  {
    method: "NoticeService.PutUserPreference",
    claim: "the row of a user",
    request: async (world) => ({ workflow_key: await notice(world), user_id: "u1", preference }),
  },
  {
    method: "NoticeService.PutUserPreference",
    claim: "an unknown workflow is not found",
    request: () => ({ workflow_key: "no-such-workflow", user_id: "u1", preference }),
    refused: "NOT_FOUND",
  },
  {
    method: "NoticeService.GetUserPreference",
    claim: "the row of a user",
    request: user,
  },
  {
    method: "NoticeService.GetUserPreference",
    claim: "an unknown user is not found",
    request: async (world) => ({ workflow_key: await notice(world), user_id: "u2" }),
    refused: "NOT_FOUND",
  },
  {
    method: "NoticeService.DeleteUserPreference",
    claim: "the row is deleted",
    request: user,
  },
  {
    method: "NoticeService.DeleteUserPreference",
    claim: "an unknown user is not found",
    request: async (world) => ({ workflow_key: await notice(world), user_id: "u2" }),
    refused: "NOT_FOUND",
  },
];

export const decided = `
NoticeService.ListNotices          | GET /api/v2/notification/workflows | notification:read | | R C
NoticeService.PutNotice            | PUT /api/v2/notification/workflows/{workflow_key} | notification:write | | I
NoticeService.GetNotice            | GET /api/v2/notification/workflows/{workflow_key} | notification:read | | R
NoticeService.DeleteNotice         | DELETE /api/v2/notification/workflows/{workflow_key} | notification:write | | I
NoticeService.PutUserPreference    | PUT /api/v2/notification/workflows/{workflow_key}/users/{user_id} | notification:write | | I
NoticeService.GetUserPreference    | GET /api/v2/notification/workflows/{workflow_key}/users/{user_id} | notification:read | | R
NoticeService.DeleteUserPreference | DELETE /api/v2/notification/workflows/{workflow_key}/users/{user_id} | notification:write | | I
`;
