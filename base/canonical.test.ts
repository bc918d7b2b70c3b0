import { createHash } from "node:crypto";
import test from "ava";
import fc from "fast-check";
import { canonicalText, digestOf, uncanonical } from "./canonical.ts";

/** The published test data of RFC 8785: input, and the bytes that it has to become. */
const published: Readonly<Record<string, readonly [string, string]>> = {
  arrays: [
    '[\n  56,\n  {\n    "d": true,\n    "10": null,\n    "1": [ ]\n  }\n]',
    '[56,{"1":[],"10":null,"d":true}]',
  ],
  french: [
    '{\n  "peach": "This sorting order",\n  "péché": "is wrong according to French",\n  "pêche": "but canonicalization MUST",\n  "sin":   "ignore locale"\n}',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
  ],
  structures: [
    '{\n  "1": {"f": {"f": "hi","F": 5} ,"\\n": 56.0},\n  "10": { },\n  "": "empty",\n  "a": { },\n  "111": [ {"e": "yes","E": "no" } ],\n  "A": { }\n}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  unicode: ['{\n  "Unnormalized Unicode":"A\\u030a"\n}', '{"Unnormalized Unicode":"A\u030a"}'],
  values: [
    '{\n  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n  "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",\n  "literals": [null, true, false]\n}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  weird: [
    '{\n  "\\u20ac": "Euro Sign",\n  "\\r": "Carriage Return",\n  "\\u000a": "Newline",\n  "1": "One",\n  "\\u0080": "Control\\u007f",\n  "\\ud83d\\ude02": "Smiley",\n  "\\u00f6": "Latin Small Letter O With Diaeresis",\n  "\\ufb33": "Hebrew Letter Dalet With Dagesh",\n  "</script>": "Browser Challenge"\n}',
    '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
};

for (const [name, [given, expected]] of Object.entries(published))
  test(`RFC 8785, ${name}: the published input becomes the published bytes`, (t) => {
    t.is(canonicalText(JSON.parse(given)), expected);
  });

/** Appendix B of RFC 8785: IEEE 754 bits and text. */
const numbers: readonly (readonly [string, string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

test("RFC 8785, appendix B: numbers are written as published", (t) => {
  for (const [bits, text] of numbers) {
    const value = Buffer.from(bits, "hex").readDoubleBE();
    t.is(canonicalText(value), text, bits);
  }
});

test("a digest does not depend on the order of members, and does on everything else", (t) => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, shuffled(member)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      t.is(digestOf(shuffled(value)), digestOf(value));
      t.not(digestOf([value]), digestOf(value));
    }),
    { numRuns: 300 },
  );
  const hex = createHash("sha256").update('{"a":1}').digest("hex");
  t.is(digestOf({ b: undefined, a: 1 }), `sha256:${hex}`);
});

test("a value with a lone surrogate, an unsafe integer or no number is refused by its path", (t) => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ a: ["\ud800"] }, "content.a[0]"],
    [{ a: { "\udc00x": 1 } }, "content.a"],
    [{ a: 2 ** 53 }, "content.a"],
    [-(2 ** 53), "content"],
    [[1e30], "content[0]"],
    [Number.NaN, "content"],
  ];
  for (const [value, field] of cases) {
    const refusal = uncanonical(value, "content");
    t.is(refusal?.code, "INVALID_ARGUMENT");
    t.is(refusal?.fields?.[0]?.field, field);
  }
  t.is(uncanonical({ a: [2 ** 53 - 1, 0.5, "😂", null, true], "": {} }, "content"), undefined);
});
