/** The parts of a path in an update mask: `labels.region`, and labels.`app.io/name` where a key is not a plain name (AIP-161). */
export function splitPath(path: string): [string, ...string[]] | undefined {
  if (!wholePath.test(path)) return undefined;
  const parts = [...path.matchAll(onePart)].map((match) => match[1] ?? match[2]!);
  return parts.includes("__proto__") ? undefined : (parts as [string, ...string[]]);
}

const wholePath = /^(?:`[^`]*`|[^.`]+)(?:\.(?:`[^`]*`|[^.`]+))*$/;
const onePart = /`([^`]*)`|([^.`]+)/g;
