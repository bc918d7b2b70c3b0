import { invalid, isObject, type Refusal, refuse, splitPath } from "#base";

type Message = Readonly<Record<string, unknown>>;

/**
 * an update as every interface hands it over: the new values, and `update_mask` with the paths to change. A path that
 * is named and has no value goes back to its default (it is removed here). Without a mask, the fields that are set.
 */
export function applyMask<Settings extends object>(
  stored: Settings,
  given: Message,
  mask: readonly string[] | undefined,
  fields: readonly string[],
): Partial<Settings> | Refusal {
  const paths = mask && mask.length > 0 ? mask : setPaths(given, fields);
  const changed: Record<string, unknown> = Object.fromEntries(Object.entries(structuredClone(stored)));
  for (const path of paths) {
    const parts = splitPath(path);
    if (parts === undefined || !fields.includes(parts[0])) return unknownPath(path);
    setPath(changed, given, parts);
  }
  // The contract has seen to it that new values are as the stored ones.
  return changed as Partial<Settings>;
}

/**
 * Members of one field that an update, or a request without a mask, gives a value to. A member that the mask names without a
 * value is removed, and is not among them.
 */
export function givenMembers(
  field: string,
  mask: readonly string[] | undefined,
  members: Message = {},
): [string, unknown][] {
  if (!mask?.length) return Object.entries(members);
  const paths = mask.map((path) => splitPath(path) ?? [""]).filter(([first]) => first === field);
  if (paths.some((parts) => parts.length === 1)) return Object.entries(members);
  const named = new Set(paths.flatMap(([, ...rest]) => (isSet(members, rest) ? [rest[0]!] : [])));
  return [...named].map((name) => [name, members[name]]);
}

function isSet(members: Message, parts: readonly string[]): boolean {
  let value: unknown = members;
  for (const part of parts) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value !== undefined;
}

/** What updates of single members have added up to. */
export function tooMany(field: string, members: object, most: number): Refusal | undefined {
  const count = Object.keys(members).length;
  if (count <= most) return undefined;
  return invalid({ field, reason: `has ${count} members, more than ${most}` });
}

function setPaths(given: Message, fields: readonly string[]): string[] {
  return fields.filter((field) => {
    const value = given[field];
    // A list or map that was not sent is empty here: the wire does not tell the two apart.
    if (isObject(value) || Array.isArray(value)) return Object.keys(value).length > 0;
    return value !== undefined;
  });
}

/** In place: a mask may name a thousand members of one map. */
function setPath(
  target: Record<string, unknown>,
  given: Message,
  [name, ...rest]: readonly [string, ...string[]],
): void {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (rest.length > 0) {
    const before = Object.hasOwn(target, name) ? target[name] : undefined;
    const inner = isObject(before) ? before : {};
    setPath(inner, isObject(value) ? value : {}, rest as [string, ...string[]]);
    if (isObject(before)) return;
    if (Object.keys(inner).length > 0) target[name] = inner;
    else delete target[name];
  } else if (value === undefined) delete target[name];
  else target[name] = value;
}

function unknownPath(path: string): Refusal {
  const reason = `names ${path}, which is no field to update`;
  return refuse("INVALID_ARGUMENT", reason, { fields: [{ field: "update_mask", reason }] });
}
