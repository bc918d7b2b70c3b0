import { type Refusal, refuse } from "#base";

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

function formatOf(contentType: string): Format {
  const essence = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (/^(?:application|text)\/json$|^[^/]+\/[^/]+\+json$/.test(essence)) return "json";
  return essence.startsWith("text/") ? "text" : "binary";
}
