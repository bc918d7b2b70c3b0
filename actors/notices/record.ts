import { limits, type Refusal, refuse, toRfc3339 } from "#base";
import { type RowWriter, rowsOf } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { type Message, type Stored, stampsOf } from "../kit/record.ts";
import { Resident } from "../kit/resident.ts";
import type { Changed, RecordState, Resource } from "../kit/resource.ts";
import type { Content, NoticeSnapshot } from "../notify/manifest.ts";
import type { NoticeParts } from "../notify/notice.ts";
import { type Channel, channels, type LayoutsUsed, layoutsAddress } from "../notify/outbound/types.ts";
import { type PreferenceSettings, settingsOf } from "../notify/preference.ts";

/** A notification workflow: what it says on which channel, and what its author allows (layer 1). Its id is the workflow's key. */
export interface NoticeRecord extends Stored {
  readonly content: Readonly<Partial<Record<Channel, Content>>>;
  readonly preference: PreferenceSettings | null;
  readonly ttlSeconds: number;
  /** The workflow definition that it belongs to: only that changes it. */
  readonly ownedBy?: string;
}

export type State = RecordState<Map<string, NoticeRecord>>;

export const userRows = rowsOf<UserRow>("users");

export const noticeResource: Resource<NoticeRecord, State> = {
  service: "NoticeService",
  one: "Notice",
  many: "Notices",
  store: new Resident("record"),
  idField: "workflow_key",
  versionField: "version",
  awaitDelivery: true,
  messageOf,
  missing: (key) => `there is no notification workflow ${key}`,
  check: ({ before, after }) => (after === null && before!.ownedBy !== undefined ? owned(before!) : []),
  after(change, state, rows) {
    const { before, after } = change;
    const { id, recordVersion: version } = (after ?? before)!;
    tellLayouts(state, change, rows);
    if (before === null) tellDirectory(state, { type: "noted", entry: { id, name: id } }, rows);
    if (after === null) {
      rows.publish("notice.deleted", id, { version });
      rows.deletePrefix(userRows, []);
      tellDirectory(state, { type: "deleted", id }, rows);
    } else rows.publish("notice.updated", id, { version });
  },
};

/** Only where it has changed. */
export function tellLayouts(
  { tenant }: State,
  { before, after }: Changed<NoticeRecord>,
  rows: RowWriter,
): void {
  const layoutIds = layoutsOf(after);
  if (layoutsOf(before).join() === layoutIds.join()) return;
  const workflowKey = (after ?? before)!.id;
  rows.send(layoutsAddress(tenant), { type: "layouts_used", workflowKey, layoutIds } satisfies LayoutsUsed);
}

function layoutsOf(record: NoticeRecord | null): readonly string[] {
  const contents = Object.values(record?.content ?? {});
  return [...new Set(contents.flatMap(({ layoutId }) => layoutId ?? []))].sort();
}

export function tellDirectory({ tenant }: State, message: DirectoryMessage, rows: RowWriter): void {
  rows.send(directoryOf(tenant, "notice"), message);
}

export function owned({ id, ownedBy }: NoticeRecord): Refusal {
  const detail = `${id} is what the workflow definition ${ownedBy} says: change and publish that one`;
  return refuse("FAILED_PRECONDITION", detail, { reason: "OWNED_BY_DEFINITION" });
}

export type NoticeSettings = Pick<NoticeRecord, "content" | "preference" | "ttlSeconds">;

export function noticeSettings(given: NoticeParts): NoticeSettings {
  const { channels: written = {}, preference, ttl_seconds } = given;
  const content: Partial<Record<Channel, Content>> = {};
  for (const channel of channels) {
    const one = written[channel];
    if (one === undefined) continue;
    const { engine, subject = "", body = "", layout_id: layoutId } = one;
    content[channel] = { engine, subject, body, ...(layoutId !== undefined && { layoutId }) };
  }
  return {
    content,
    preference: preference === undefined ? null : settingsOf(preference),
    ttlSeconds: ttl_seconds ?? limits.deliveryTtlSeconds,
  };
}

export function messageOf(record: NoticeRecord): Message {
  const { record_version: version, ...times } = stampsOf(record);
  return {
    workflow_key: record.id,
    channels: Object.fromEntries(
      Object.entries(record.content).map(([channel, { layoutId, ...content }]) => [
        channel,
        { ...content, ...(layoutId !== undefined && { layout_id: layoutId }) },
      ]),
    ),
    ...(record.preference && { preference: record.preference }),
    ttl_seconds: record.ttlSeconds,
    version,
    ...times,
  };
}

/** Layer 2. */
export interface UserRow {
  readonly preference: PreferenceSettings;
  readonly updatedAt: number;
}

export function userMessage(
  workflowKey: string,
  userId: string,
  { preference, updatedAt }: UserRow,
): Message {
  return { workflow_key: workflowKey, user_id: userId, preference, updated_at: toRfc3339(updatedAt) };
}

/** `user`: absent where no user_id was given, `null` where it has no row. */
export function snapshotOf(
  record: NoticeRecord | undefined,
  user: PreferenceSettings | null | undefined,
): NoticeSnapshot {
  return {
    version: record?.recordVersion ?? 0,
    content: record?.content ?? {},
    layer1: record?.preference ?? null,
    ...(user !== undefined && { layer2: user }),
    ttlMs: (record?.ttlSeconds ?? limits.deliveryTtlSeconds) * 1_000,
  };
}
