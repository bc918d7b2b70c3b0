import test from "ava";
import fc from "fast-check";
import { jsonBytes } from "./json-bytes.ts";

test("as many bytes as the text of JSON.stringify has", (t) => {
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  for (const value of [
    null,
    true,
    false,
    0,
    -1.5,
    1e21,
    "",
    "a\\b",
    '"',
    "ü😀\u0000\n",
    [],
    {},
    [[]],
    { "": {} },
  ])
    t.is(jsonBytes(value), bytesOf(value));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const sent = JSON.parse(JSON.stringify(value));
      return jsonBytes(sent) === bytesOf(sent);
    }),
  );
});
