import type { EntityMethod } from "#runtime";
import { answered, answering, oneRecordMethods } from "../kit/methods.ts";
import { snapshot } from "../notify/methods.ts";
import type { PreferenceSettings } from "../notify/preference.ts";
import type { Command } from "./decide.ts";
import { type NoticeGiven, noticeResource, type State } from "./record.ts";
import type { Event } from "./state.ts";

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...oneRecordMethods(noticeResource, "Get", "Delete"),
  "NoticeService.PutNotice": answered((request) => ({
    type: "put",
    given: request as unknown as NoticeGiven,
  })),
  "NoticeService.PutUserPreference": answered(({ user_id, preference = {} }) => ({
    type: "put_user",
    userId: user_id as string,
    preference: preference as PreferenceSettings,
  })),
  "NoticeService.GetUserPreference": answered(({ user_id }) => ({
    type: "get_user",
    userId: user_id as string,
  })),
  "NoticeService.DeleteUserPreference": answered(({ user_id }) => ({
    type: "delete_user",
    userId: user_id as string,
  })),
  [snapshot.name]: answering(snapshot, ({ user_id }) => ({ type: "snapshot", userId: user_id })),
};
