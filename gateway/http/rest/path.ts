import { type Refusal, refuse } from "#base";

/**
 * Segments of a raw path, decoded, or what is wrong with it. Nothing is normalised: a path that two readers could
 * understand differently (dots, empty segments, encoded slashes) is refused instead.
 */
export function splitPath(path: string): readonly string[] | Refusal {
  if (plain.test(path) && !path.includes("//")) return path.slice(1).split("/");
  if (!path.startsWith("/")) return refuse("INVALID_ARGUMENT", "the path must start with a slash");
  if (forbidden.test(path))
    return refuse("INVALID_ARGUMENT", "the path holds a character that is not allowed");
  const segments: string[] = [];
  const raw = path.slice(1).split("/");
  for (const [index, segment] of raw.entries()) {
    if (segment === "" && index < raw.length - 1)
      return refuse("INVALID_ARGUMENT", "the path holds an empty segment");
    const decoded = decode(segment);
    if (typeof decoded !== "string") return decoded;
    segments.push(decoded);
  }
  return segments;
}

function decode(segment: string): string | Refusal {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return refuse("INVALID_ARGUMENT", "the path is not valid UTF-8");
  }
  if (decoded === "." || decoded === "..") return refuse("INVALID_ARGUMENT", "the path holds a dot segment");
  if (hidden.test(decoded))
    return refuse("INVALID_ARGUMENT", "the path hides a slash or a control character");
  return decoded;
}

/** The common case, without a single character that needs a second look. */
const plain = /^\/[A-Za-z0-9_:/-]*$/;
/** What RFC 3986 leaves out of a path. */
const forbidden = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const hidden = /[/\\\u0000-\u001f\u007f]/;
