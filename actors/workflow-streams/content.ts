import { type Refusal, refuse } from "#base";
import { redact } from "./redact.ts";

/** What a content class of a definition admits. Tool and model content is JSON or text; other bytes are `binary`. */
const formats: Readonly<Record<string, readonly Format[]>> = {
  json: ["json"],
  text: ["text"],
  binary: ["binary"],
  tool_io: ["json", "text"],
  model_output: ["json", "text"],
};

type Format = "json" | "text" | "binary";

/** Whether the classes of a stream admit content of this type; `field` is where the caller wrote the type. */
export function unfitContent(
  classes: readonly string[],
  contentType: string,
  field: string,
): Refusal | undefined {
  const format = formatOf(contentType);
  if (classes.some((name) => formats[name]?.includes(format))) return undefined;
  const reason = `${contentType} is ${format}, and the stream takes ${classes.join(", ")}`;
  return refuse("INVALID_ARGUMENT", `${field}: ${reason}`, {
    reason: "CONTENT_CLASS",
    fields: [{ field, reason }],
  });
}

export function isJson(contentType: string): boolean {
  return formatOf(contentType) === "json";
}

/** Bytes (base64) that are JSON, written anew with the pointers' values replaced; undefined: they are no JSON. */
export function redactedBytes(bytes: string, pointers: readonly string[]): string | undefined {
  try {
    // A duplicate key hides its first value from the pointers, and does not survive being written anew.
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(bytes, "base64")));
    return Buffer.from(JSON.stringify(redact(value, pointers))).toString("base64");
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function formatOf(contentType: string): Format {
  const essence = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (/^(?:application|text)\/json$|^[^/]+\/[^/]+\+json$/.test(essence)) return "json";
  return essence.startsWith("text/") ? "text" : "binary";
}
