import { limits } from "#base";
import type { NoticeContent, PutNoticeRequest } from "#protos";
import { type JsonSchema, schemaErrors } from "../kit/json-schema.ts";
import { type CheckTemplatesRequest, channels } from "./outbound/types.ts";
import { type PlacedError, placedProblems } from "./preference.ts";

/** What a workflow definition says for notifications, as the contract has it. */
export interface NoticeParts extends Pick<PutNoticeRequest, "preference" | "ttl_seconds"> {
  readonly channels?: Readonly<Record<string, Written>>;
}

type Written = Pick<NoticeContent, "engine" | "layout_id"> & Partial<NoticeContent>;

/** From a workflow definition to the notice of its key: what its active version says. From then on only the definition changes it. */
export interface NoticeOwned {
  readonly type: "owned";
  readonly definitionId: string;
  readonly given: NoticeParts;
}

/** The definition was archived: the notice stays as it is, and callers may change it. */
export interface NoticeReleased {
  readonly type: "released";
  readonly definitionId: string;
}

/** Where a draft breaks what the contract says of `PutNotice`. */
export function noticeErrors(given: Readonly<Record<string, unknown>>): readonly PlacedError[] {
  const parts = Object.keys(schemas).filter((name) => given[name] !== undefined);
  const errors = parts.flatMap((name) => schemaErrors(schemas[name]!, given[name], name));
  if (errors.length > 0) return errors;
  const { channels: written = {}, preference } = given as NoticeParts;
  const long = Object.keys(written).filter(
    (channel) => Buffer.byteLength(written[channel]!.subject ?? "") > limits.noticeSubjectBytesMax,
  );
  const reason = `is longer than ${limits.noticeSubjectBytesMax} bytes`;
  const subjects = long.map((channel) => ({ field: `channels.${channel}.subject`, reason }));
  return preference === undefined ? subjects : [...subjects, ...placedProblems(preference, "preference.")];
}

/** Every template with the field that it is in. */
export function templatesOf(
  { channels: written = {} }: NoticeParts,
  at: (channel: string) => string,
): CheckTemplatesRequest["templates"] {
  return Object.entries(written).flatMap(([channel, { engine, subject = "", body = "" }]) => [
    { field: `${at(channel)}.subject`, engine, source: subject },
    { field: `${at(channel)}.body`, engine, source: body },
  ]);
}

const text: JsonSchema = { type: "string" };
const flag: JsonSchema = { type: "boolean" };

function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

function byChannel(schema: JsonSchema): JsonSchema {
  return closed(Object.fromEntries(channels.map((channel) => [channel, schema])));
}

const opinion = closed({ enabled: flag, read_only: flag, condition: text });
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const range = closed(
  {
    days: { type: "array", minItems: 1, maxItems: 7, uniqueItems: true, items: { enum: days } },
    start: { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" },
    end: { type: "string", pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" },
  },
  ["days", "start", "end"],
);

const schemas: Readonly<Record<string, JsonSchema>> = {
  channels: byChannel(
    closed(
      {
        engine: { enum: ["handlebars", "liquid"] },
        subject: text,
        body: text,
        layout_id: { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" },
      },
      ["engine"],
    ),
  ),
  preference: closed({
    all: opinion,
    channels: byChannel(opinion),
    schedule: closed({ timezone: text, ranges: { type: "array", minItems: 1, maxItems: 32, items: range } }, [
      "ranges",
    ]),
    read_only: flag,
    condition: text,
  }),
  ttl_seconds: { type: "integer", minimum: 1, maximum: limits.noticeTtlSecondsMax },
};
