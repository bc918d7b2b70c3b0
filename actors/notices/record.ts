import { type FieldError, limits, toRfc3339 } from "#base";
import type { Message } from "../kit/record.ts";
import type { Content, NoticeSnapshot } from "../notify/manifest.ts";
import type { NoticeParts } from "../notify/notice.ts";
import { type Channel, channels } from "../notify/outbound/types.ts";
import { type PreferenceSettings, problemsOf, settingsOf } from "../notify/preference.ts";

/** A notification workflow: what it says on which channel, and what its author allows (layer 1). */
export interface NoticeRecord {
  readonly workflowKey: string;
  readonly content: Readonly<Partial<Record<Channel, Content>>>;
  readonly preference: PreferenceSettings | null;
  readonly ttlSeconds: number;
  /** The workflow definition that it belongs to: only that changes it. */
  readonly ownedBy?: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** As the contract has it. */
export interface NoticeGiven extends NoticeParts {
  readonly workflow_key: string;
  readonly version?: number;
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

export function noticeProblems({ preference }: NoticeSettings): FieldError[] {
  return preference ? problemsOf(preference, "preference.") : [];
}

export function noticeMessage(record: NoticeRecord): Message {
  return {
    workflow_key: record.workflowKey,
    channels: Object.fromEntries(
      Object.entries(record.content).map(([channel, { layoutId, ...content }]) => [
        channel,
        { ...content, ...(layoutId !== undefined && { layout_id: layoutId }) },
      ]),
    ),
    ...(record.preference && { preference: record.preference }),
    ttl_seconds: record.ttlSeconds,
    version: record.version,
    created_at: toRfc3339(record.createdAt),
    updated_at: toRfc3339(record.updatedAt),
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
    version: record?.version ?? 0,
    content: record?.content ?? {},
    layer1: record?.preference ?? null,
    ...(user !== undefined && { layer2: user }),
    ttlMs: (record?.ttlSeconds ?? limits.deliveryTtlSeconds) * 1_000,
  };
}
