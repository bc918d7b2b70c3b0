import { Ajv, type Options } from "ajv";
import formats from "ajv-formats";
import { isDate } from "#base";
import { pathOfNonFinite } from "./json-value.ts";
import type { Compilers } from "./validate.ts";

export function createCompilers(): Compilers {
  return { quick: create({}), thorough: create({ allErrors: true }) };
}

function create(options: Options): Ajv {
  const ajv = new Ajv({
    useDefaults: true,
    ownProperties: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    // Errors carry the schema they come from: our own keywords need it to say what they want.
    verbose: true,
    // The schemas are ours; compiling the schema of schemas would take longer than all of theirs.
    meta: false,
    validateSchema: false,
    ...options,
  });
  formats.default(ajv, ["uuid", "email", "hostname", "uri"]);
  ajv.addFormat("timestamp", (text: string) => timestamp.test(text) && isDate(text));
  ajv.addFormat("base64", isBase64);
  // Counting code points takes longer than parsing the text; the number of UTF-16 units nearly always decides.
  stringKeyword(
    ajv,
    "minLength",
    (min, text) => text.length >= min && (text.length >= min * 2 || codePoints(text) >= min),
  );
  stringKeyword(
    ajv,
    "maxLength",
    (max, text) => text.length <= max || (text.length <= max * 2 && codePoints(text) <= max),
  );
  stringKeyword(ajv, "maxBytes", (max, text) => text.length * 3 <= max || Buffer.byteLength(text) <= max);
  ajv.addKeyword({
    keyword: "oneOfFields",
    type: "object",
    schemaType: "object",
    validate: ({ fields, required }: { fields: string[]; required: boolean }, message: object) => {
      let set = 0;
      for (const field of fields) if (Object.hasOwn(message, field)) set++;
      return set <= 1 && (set === 1 || !required);
    },
  });
  ajv.addKeyword({
    keyword: "finiteNumbers",
    schemaType: "boolean",
    validate: (_schema: boolean, value: unknown) => pathOfNonFinite(value) === undefined,
  });
  return ajv;
}

function stringKeyword(ajv: Ajv, keyword: string, validate: (bound: number, text: string) => boolean): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword, type: "string", schemaType: "number", validate });
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Only the form we print; the other ways to write a time are brought to it before they are refused. */
const timestamp = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A pattern of groups of four would overflow the stack on a long text. */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || notBase64.test(text)) return false;
  const padding = text.indexOf("=");
  return padding < 0 || text.length - padding === 1 || (text.length - padding === 2 && text.endsWith("=="));
}

const notBase64 = /[^A-Za-z0-9+/=]/;
