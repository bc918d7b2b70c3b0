import type { Casing, JsonObject } from "../../notify/outbound/types.ts";

/** Names of members, at every depth, as the provider writes them. */
export function recased(value: JsonObject, casing: Casing): JsonObject {
  return casing === "none" ? value : (recase(value, casing) as JsonObject);
}

function recase(value: unknown, casing: Casing): unknown {
  if (Array.isArray(value)) return value.map((inner) => recase(inner, casing));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [nameOf(name, casing), recase(inner, casing)]),
  );
}

function nameOf(name: string, casing: Casing): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
  if (words.length === 0) return name;
  const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
  switch (casing) {
    case "snake_case":
      return words.join("_");
    case "kebab-case":
      return words.join("-");
    case "CONSTANT_CASE":
      return words.join("_").toUpperCase();
    case "PascalCase":
      return words.map(capital).join("");
    case "camelCase":
      return words.map((word, index) => (index === 0 ? word : capital(word))).join("");
    case "none":
      return name;
  }
}
