import { limits } from "#base";
import type { Context } from "#runtime";
import { type PoolView, recipientStatus } from "../../pool-record.ts";
import type { RouterView } from "../../router.ts";

/** The recipients that hold most, with what they hold. */
export function busiest(context: Context): readonly object[] {
  const { recipients: records } = context.twin<PoolView>("pool");
  const live = [...context.twin<RouterView>("router").recipients.values()];
  live.sort((a, b) => b.inFlight - a.inFlight || (a.id < b.id ? -1 : 1));
  return live.slice(0, limits.liveRecipientsMax).flatMap((recipient) => {
    const record = records.get(recipient.id);
    if (record === undefined) return [];
    const { id, inFlight, capacity } = recipient;
    const status = recipientStatus(record, recipient);
    return [{ recipient_id: id, name: record.name, status, in_flight: inFlight, capacity }];
  });
}
