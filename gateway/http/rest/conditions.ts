import { type Refusal, refusalError, refuse } from "#base";
import { packedTag } from "../gzip.ts";
import type { HttpRequest } from "../server.ts";
import type { Route } from "./routes.ts";

/** The value of If-Match or If-None-Match (RFC 9110, section 13.1): any tag, or one of these. */
export type Tags = "*" | readonly Tag[];

interface Tag {
  readonly weak: boolean;
  /** Without its quotes. */
  readonly text: string;
}

/** `undefined` where the request has no such header. */
export function tagsOf(request: HttpRequest, name: "If-Match" | "If-None-Match"): Tags | undefined {
  const header = request.headers.get(headerNames[name]);
  if (header === undefined) return undefined;
  if (header.trim() === "*") return "*";
  if (!list.test(header)) {
    const detail = `${name} must be * or a list of entity tags in quotes, such as "7"`;
    throw refusalError("INVALID_ARGUMENT", detail);
  }
  return Array.from(header.matchAll(tag), ([, weak, text]) => ({ weak: weak !== undefined, text: text! }));
}

/**
 * The versions that If-Match names, smallest first. An ETag begins with the record's version; a weak tag matches nothing,
 * because If-Match compares strongly.
 */
export function versionsIn(tags: readonly Tag[]): readonly number[] {
  const versions = new Set<number>();
  for (const { weak, text } of tags) {
    const version = weak ? undefined : versionTag.exec(text)?.[1];
    if (version !== undefined) versions.add(Number(version));
  }
  return [...versions].sort((a, b) => a - b);
}

/** The tag of this text that If-None-Match names, in either coding: what the caller has. It compares weakly. */
export function namedTag(tags: Tags, current: string): string | undefined {
  if (tags === "*") return current;
  const packed = packedTag(current);
  for (const { text } of tags) {
    const named = `"${text}"`;
    if (named === current || named === packed) return named;
  }
  return undefined;
}

/** If-Match compares strongly: a weak tag names nothing. */
export function isNamedStrongly(tags: Tags, current: string): boolean {
  return tags === "*" || tags.some(({ weak, text }) => !weak && text === current);
}

/** If-Match on a read: it fails where the record has another version. */
export function failedRead(route: Route, request: HttpRequest, response: unknown): Refusal | undefined {
  if (route.binding.verb !== "GET") return undefined;
  const tags = tagsOf(request, "If-Match");
  if (tags === undefined || tags === "*") return undefined;
  const { record_version = 0 } = response as { readonly record_version?: number };
  return versionsIn(tags).includes(record_version) ? undefined : ifMatchFailed(record_version);
}

export function ifMatchFailed(current: unknown): Refusal {
  return refuse("FAILED_PRECONDITION", `If-Match does not name the record's version, which is ${current}`, {
    reason: "IF_MATCH",
    extra: { record_version: current },
  });
}

const headerNames = { "If-Match": "if-match", "If-None-Match": "if-none-match" } as const;
const versionTag = /^([0-9]{1,15})(?:-[\w-]+)?$/;
const tag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const list =
  /^[ \t]*(?:,[ \t]*)*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[ \t]*,(?:[ \t]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?)*[ \t]*$/;
