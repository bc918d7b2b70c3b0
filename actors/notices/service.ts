import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { answered, answering } from "../kit/methods.ts";
import { snapshot } from "../notify/methods.ts";
import type { NoticeOwned, NoticeReleased } from "../notify/notice.ts";
import type { PreferenceSettings } from "../notify/preference.ts";
import { type Command, decide } from "./decide.ts";
import type { NoticeGiven } from "./record.ts";
import { apply, type Event, empty, resident, restore, type State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const methods: Readonly<Record<string, Method>> = {
  "NoticeService.PutNotice": answered((request) => ({
    type: "put",
    given: request as unknown as NoticeGiven,
  })),
  "NoticeService.GetNotice": answered(() => ({ type: "get" })),
  "NoticeService.DeleteNotice": answered(() => ({ type: "delete" })),
  "NoticeService.PutUserPreference": answered((request) => ({
    type: "put_user",
    userId: request.user_id as string,
    preference: (request.preference as PreferenceSettings | undefined) ?? {},
  })),
  "NoticeService.GetUserPreference": answered((request) => ({
    type: "get_user",
    userId: request.user_id as string,
  })),
  "NoticeService.DeleteUserPreference": answered((request) => ({
    type: "delete_user",
    userId: request.user_id as string,
  })),
  /** For triggers and previews. */
  [snapshot.name]: answering(snapshot, ({ user_id: userId }) => ({
    type: "snapshot",
    ...(userId !== undefined && { userId }),
  })),
};

export const noticeActor: AnyActorDefinition = defineActor<State, Command, Event>({
  kind: "notice",
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  methods,
  onMessage: (message): Command => message as EntityPurge | NoticeOwned | NoticeReleased,
});
