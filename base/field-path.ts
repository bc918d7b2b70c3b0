/**
 * The parts of a path in an update mask: `labels.region`, and labels.`app.io/name` where a key is not a plain name (AIP-161); a
 * backquote of the key itself is doubled.
 */
export function splitPath(path: string): [string, ...string[]] | undefined {
  if (!wholePath.test(path)) return undefined;
  const parts = [...path.matchAll(onePart)].map((match) => match[1]?.replaceAll("``", "`") ?? match[2]!);
  return parts.includes("__proto__") ? undefined : (parts as [string, ...string[]]);
}

/** A key as a part of a path. */
export function quotedPart(key: string): string {
  return plainName.test(key) ? key : `\`${key.replaceAll("`", "``")}\``;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const wholePath = /^(?:`(?:[^`]|``)*`|[^.`]+)(?:\.(?:`(?:[^`]|``)*`|[^.`]+))*$/;
const onePart = /`((?:[^`]|``)*)`|([^.`]+)/g;
