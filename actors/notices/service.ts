import type { EntityMethod } from "#runtime";
import { answeredMethods, answering, oneRecordMethods } from "../kit/methods.ts";
import { snapshot } from "../notify/methods.ts";
import type { Command } from "./decide.ts";
import { noticeResource, type State } from "./record.ts";
import type { Event } from "./state.ts";

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...oneRecordMethods(noticeResource, "Get", "Delete"),
  ...answeredMethods<Command>({
    "NoticeService.PutNotice": (given) => ({ type: "put", given }),
    "NoticeService.PutUserPreference": (given) => ({ type: "put_user", given }),
    "NoticeService.GetUserPreference": ({ user_id: userId }) => ({ type: "get_user", userId }),
    "NoticeService.DeleteUserPreference": ({ user_id: userId }) => ({ type: "delete_user", userId }),
  }),
  [snapshot.name]: answering(snapshot, ({ user_id: userId }) => ({ type: "snapshot", userId })),
};
