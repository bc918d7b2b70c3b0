import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Finds a secret in a text or below a folder: in plain text, in hex, and in base64 at any of its three offsets. */
export function findSecrets(
  secrets: Iterable<string>,
  where: { readonly folder: string; readonly texts: Readonly<Record<string, string | Buffer>> },
): string[] {
  const places = [
    ...filesIn(where.folder).map((path) => [path, readFileSync(path)] as const),
    ...Object.entries(where.texts).map(([name, text]) => [name, Buffer.from(text)] as const),
  ];
  return [...secrets].flatMap((secret) =>
    formsOf(secret).flatMap(([form, bytes]) =>
      places.filter(([, text]) => text.includes(bytes)).map(([name]) => `${name} holds ${secret} in ${form}`),
    ),
  );
}

function formsOf(secret: string): (readonly [string, Buffer])[] {
  const hex = Buffer.from(secret).toString("hex");
  const forms: (readonly [string, string])[] = [
    ["clear", secret],
    ["hex", hex],
    ["hex", hex.toUpperCase()],
  ];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    // The characters at both ends depend on the neighbouring bytes.
    const inner = encoded.replace(/=+$/, "").slice(offset === 0 ? 0 : offset + 1, -1);
    forms.push(["base64", inner], ["base64url", inner.replaceAll("+", "-").replaceAll("/", "_")]);
  }
  return forms.map(([form, text]) => [form, Buffer.from(text)] as const);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
