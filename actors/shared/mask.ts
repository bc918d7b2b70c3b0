import { type Refusal, refuse } from "#base";

type Message = Readonly<Record<string, unknown>>;

/**
 * An update in the shape every door hands over: the new values, and `update_mask` with the paths to change. A path that
 * is named and has no value goes back to its default (it is removed here). Without a mask, the fields that are set.
 */
export function applyMask(
  stored: Message,
  given: Message,
  mask: readonly string[] | undefined,
  fields: readonly string[],
): Record<string, unknown> | Refusal {
  const paths = mask && mask.length > 0 ? mask : setPaths(given, fields);
  let changed: Record<string, unknown> = { ...stored };
  for (const path of paths) {
    const parts = splitPath(path);
    if (parts === undefined || !fields.includes(parts[0]!)) return unknownPath(path);
    changed = withPath(changed, given, parts);
  }
  return changed;
}

function setPaths(given: Message, fields: readonly string[]): string[] {
  return fields.filter((field) => {
    const value = given[field];
    return value !== undefined && !(isMessage(value) && Object.keys(value).length === 0);
  });
}

/** `labels.region`, and labels.`app.io/name` where a key is not a plain name (AIP-161). */
function splitPath(path: string): string[] | undefined {
  if (!wholePath.test(path)) return undefined;
  const parts = [...path.matchAll(onePart)].map((match) => match[1] ?? match[2]!);
  return parts.includes("__proto__") ? undefined : parts;
}

const wholePath = /^(?:`[^`]*`|[^.`]+)(?:\.(?:`[^`]*`|[^.`]+))*$/;
const onePart = /`([^`]*)`|([^.`]+)/g;

function withPath(
  stored: Message,
  given: Message,
  [name, ...rest]: readonly string[],
): Record<string, unknown> {
  const { [name!]: before, ...others } = stored;
  const value = Object.hasOwn(given, name!) ? given[name!] : undefined;
  if (rest.length === 0) return value === undefined ? others : { ...others, [name!]: value };
  const inner = withPath(isMessage(before) ? before : {}, isMessage(value) ? value : {}, rest);
  return Object.keys(inner).length === 0 && !isMessage(before) ? others : { ...others, [name!]: inner };
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownPath(path: string): Refusal {
  const reason = `there is no field ${path} to update`;
  return refuse("INVALID_ARGUMENT", reason, { fields: [{ field: "update_mask", reason }] });
}
