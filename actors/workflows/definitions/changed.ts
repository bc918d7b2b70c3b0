import { nextRecord } from "../../kit/record.ts";
import type { NoticeOwned, NoticeReleased } from "../../notify/notice.ts";
import { type Body, saysNotice } from "../body/body.ts";
import type { Definition } from "./record.ts";

export interface Changed {
  readonly definition: Definition;
  /** What notifications are told of it. */
  readonly notice?: NoticeOwned | NoticeReleased;
}

/** The next version of the record; `body`: of the version that is active from now on. Nothing where nothing changes. */
export function changedWith(
  before: Definition,
  next: Definition,
  now: number,
  body: Body | undefined,
): Changed | undefined {
  const notices = next.notices ?? (body && saysNotice(body));
  const definition = nextRecord(before, notices ? { ...next, notices } : next, now);
  if (!definition) return undefined;
  const notice = noticeFor(before, definition, body);
  return { definition, ...(notice && { notice }) };
}

/** What notifications are told: what the active version says, or that the definition was archived. */
function noticeFor(
  before: Definition,
  { id, notices, archived }: Definition,
  body: Body | undefined,
): NoticeOwned | NoticeReleased | undefined {
  if (!notices) return undefined;
  if (archived && !before.archived) return { type: "released", definitionId: id };
  if (!body) return undefined;
  const { channels, preference, ttl_seconds } = body;
  const given = {
    ...(channels && { channels }),
    ...(preference && { preference }),
    ...(ttl_seconds !== undefined && { ttl_seconds }),
  };
  return { type: "owned", definitionId: id, given };
}
