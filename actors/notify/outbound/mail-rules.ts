import { type FieldError, isObject, limits } from "#base";
import type { JsonObject } from "./types.ts";

export interface Mailbox {
  /** Empty: none. */
  readonly name: string;
  readonly address: string;
}

const atom = /[^\s\p{Cc}()<>@,;:\\".[\]]/u.source;
const letter = /[\p{L}\p{M}\p{N}]/u.source;
const label = `${letter}(?:[\\p{L}\\p{M}\\p{N}-]{0,61}${letter})?`;
const addressPattern = new RegExp(
  `^(?=.{1,64}@)(?=.{1,254}$)${atom}+(?:\\.${atom}+)*@${label}(?:\\.${label})*$`,
  "u",
);
/** A quoted name, words of atoms, or none; then the address in angle brackets. */
const namedPattern = new RegExp(`^(?:"([^"\\\\\\p{Cc}]*)" *|((?:${atom}|[. ])*))<([^<>]*)>$`, "u");

export const noMailAddress = "is not one mail address, such as a@example.com";

export function isMailAddress(text: string): boolean {
  return addressPattern.test(text);
}

/** `a@b.com` or `Name <a@b.com>`: one address. The only place where the text of an address is read. */
export function mailboxOf(text: string): Mailbox | undefined {
  const [, quoted, words, inner] = namedPattern.exec(text) ?? [];
  const address = inner ?? text;
  return isMailAddress(address) ? { name: quoted ?? words?.trim() ?? "", address } : undefined;
}

/** Headers that a caller may set. None names a sender or a recipient, and none makes a mail service add one (as `X-SMTPAPI` does). */
const safeHeaders = new Set([
  "auto-submitted",
  "comments",
  "feedback-id",
  "importance",
  "in-reply-to",
  "keywords",
  "list-id",
  "organization",
  "precedence",
  "priority",
  "references",
  "x-auto-response-suppress",
  "x-entity-ref-id",
  "x-mailgun-tag",
  "x-mc-tags",
  "x-pm-message-stream",
  "x-pm-tag",
  "x-priority",
  "x-ses-configuration-set",
  "x-ses-message-tags",
]);

/** Of an integration's settings, or of those that a trigger gives instead. Names are compared as any casing of an integration writes them. */
export function mailProblems(settings: JsonObject, at = ""): FieldError[] {
  const problems = Object.entries(settings).flatMap(([name, value]): FieldError[] => {
    const field = at + name;
    switch (name.toLowerCase().replaceAll(/[^a-z]/g, "")) {
      case "headers":
        return headerProblems(value, field);
      case "from":
      case "replyto":
        if (typeof value === "string" && mailboxOf(value)) return [];
        return [{ field, reason: "is no mail address: a@example.com or Name <a@example.com>" }];
      default:
        return [];
    }
  });
  return problems.slice(0, limits.fieldErrorsMax);
}

function headerProblems(headers: unknown, at: string): FieldError[] {
  if (!isObject(headers)) return [{ field: at, reason: "is no object of header names and texts" }];
  return Object.entries(headers).flatMap(([name, value]) => {
    const field = `${at}.${name.slice(0, limits.mailHeaderNameLengthMax)}`;
    if (!safeHeaders.has(name.toLowerCase()))
      return [{ field, reason: `is not a header that may be set: ${[...safeHeaders].join(", ")}` }];
    if (typeof value !== "string" || /[\r\n\0]/.test(value))
      return [{ field, reason: "is no text without line breaks" }];
    return [];
  });
}
