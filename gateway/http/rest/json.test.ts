import test from "ava";
import { RefusalError } from "#base";
import { parseJson } from "./json.ts";

const refused: readonly [string, RegExp][] = [
  ['{"a": "\\ud800"}', /half of a character/],
  ['{"\\uDC00": 1}', /half of a character/],
  ['["\\ud83d\\ude00\\ud83d"]', /half of a character/],
  ['{"a": 1, "a": 2}', /"a" appears twice/],
  ['{"a": {"b": 1, "\\u0062": 2}}', /"b" appears twice/],
  ['{"__proto__": 1}', /__proto__/],
  ["[".repeat(65) + "]".repeat(65), /nested deeper/],
  ["{", /not JSON/],
];

for (const [text, reason] of refused) {
  test(`${text.slice(0, 40)} is refused`, (t) => {
    const error = t.throws(() => parseJson(Buffer.from(text)), { instanceOf: RefusalError });
    t.regex(error!.refusal.detail, reason);
  });
}

test("whole characters may be written as escapes, and a backslash is no escape of them", (t) => {
  t.deepEqual(parseJson(Buffer.from('{"a": "\\ud83d\\ude00", "b": "\\\\ud800"}')), { a: "😀", b: "\\ud800" });
});
