import test from "ava";
import { limits } from "#base";
import { type JsonSchema, schemaErrors, schemaProblems } from "./json-schema.ts";

const list = (length: number, one: (index: number) => unknown = (index) => `item ${index}`) =>
  Array.from({ length }, (_, index) => one(index));
const tooMuch = /cannot be checked against its schema: it takes more than 400000 steps; send less, or/;

/** Each took seconds of the thread: a schema of some kilobytes and an input below the bound of a workflow's input. */
const costly: Readonly<Record<string, readonly [JsonSchema, unknown]>> = {
  "items × allOf × pattern": [
    { items: { allOf: list(200, (index) => ({ pattern: `^(item|i${index})` })) as JsonSchema[] } },
    list(20_000),
  ],
  "items × anyOf × enum": [
    { items: { anyOf: [...list(500, (index) => ({ enum: [index] })), { type: "string" }] } },
    list(20_000),
  ],
  "anyOf in anyOf": [nested(9), "x"],
  "uniqueItems at every level of a choice": [
    { allOf: list(200, () => ({ uniqueItems: true })) as JsonSchema[] },
    list(20_000),
  ],
  "a const of the size of the input, many times": [
    { allOf: list(100, () => ({ const: list(3_000) })) as JsonSchema[] },
    list(3_000),
  ],
  "a list of types × items × anyOf": [
    { items: { anyOf: [{ type: list(40_000, () => "null") }, true] } },
    list(20_000),
  ],
  "items × names of `required`": [
    { items: { anyOf: [{ required: list(1_000) as string[] }, true] } },
    list(20_000, () => ({})),
  ],
  "long names of `required` × items": [
    { items: { anyOf: [{ required: list(30, (index) => `${index}`.padEnd(8_000)) }, true] } },
    list(20_000, () => ({})),
  ],
  "a name of the size of the input, many times": [
    { allOf: list(10_000, () => ({ not: { const: 0 } })) as JsonSchema[] },
    { ["n".repeat(200_000)]: 1 },
  ],
  "a text that every level of a list copies": [
    { allOf: list(100, () => ({ uniqueItems: true })) as JsonSchema[] },
    within(60, "x".repeat(20_000)),
  ],
  "a text with many patterns": [
    { allOf: list(1_000, (index) => ({ pattern: `(a|b|c){1,50}${index}` })) as JsonSchema[] },
    "ab".repeat(500),
  ],
};

function within(depth: number, value: unknown): unknown {
  return depth === 0 ? value : [within(depth - 1, value)];
}

/** Choices of four, each of which has choices of four. */
function nested(depth: number): JsonSchema {
  if (depth === 0) return { type: "integer" };
  return { anyOf: list(4, () => nested(depth - 1)) as JsonSchema[] };
}

for (const [name, [schema, value]] of Object.entries(costly))
  test(`given ${name}, when a value is checked, then the check ends with its budget and says so`, (t) => {
    const errors = schemaErrors(schema, value, "input");
    t.is(errors.length, 1);
    t.is(errors[0]!.field, "input");
    t.regex(errors[0]!.reason, tooMuch);
    t.deepEqual(schemaErrors({ type: "string" }, "x", "input"), [], "the next check has a budget of its own");
  });

test("given large values and plain schemas, when they are checked, then they are within the budget", (t) => {
  const record = {
    type: "object",
    required: ["id", "kind"],
    properties: {
      id: { type: "string", minLength: 1, maxLength: 40 },
      kind: { enum: ["order", "refund", "note"] },
      amount: { type: "number", minimum: 0 },
      tags: { type: "array", uniqueItems: true, items: { type: "string" } },
    },
    additionalProperties: false,
  };
  const records = list(2_500, (index) => ({ id: `r-${index}`, kind: "order", amount: 1, tags: ["a", "b"] }));
  t.true(JSON.stringify(records).length > limits.workflowInputBytesMax / 2);
  t.deepEqual(schemaErrors({ type: "array", items: record }, records, "input"), []);
  const codes = { items: { type: "string", pattern: "^[a-z]+ [0-9]+$" } };
  t.deepEqual(schemaErrors(codes, list(1_000), "input"), []);
  const names = { items: { enum: list(1_000) } };
  t.deepEqual(
    schemaErrors(
      names,
      list(10_000, (index) => `item ${index % 1_000}`),
      "input",
    ),
    [],
  );
});

test("given a value that no member of a long enum is, when it is refused, then the reason is short", (t) => {
  const [error] = schemaErrors({ enum: list(10_000) }, "x", "input");
  t.regex(error!.reason, /^must be one of \["item 0","item 1"/);
  t.true(error!.reason.length < 2 * limits.schemaToldLengthMax);
  t.like(schemaErrors({ enum: ["a", { b: [1] }] }, { b: [2] }, "input")[0], {
    reason: 'must be one of ["a",{"b":[1]}]',
  });
});

test("given a text that is too long for its pattern, when it is checked, then it is not called a mismatch", (t) => {
  const [error] = schemaErrors({ pattern: "^(ab)*$" }, "ab".repeat(40_000), "input");
  t.is(error?.reason, "is too long to look for ^(ab)*$ in it");
  t.like(schemaErrors({ pattern: "^a$" }, "b", "input")[0], { reason: "must match ^a$" });
});

test("given a list of types, when one is named twice or none, then the schema has a problem", (t) => {
  for (const type of [[], ["null", "null"], ["null", "text"], list(40_000, () => "null")])
    t.regex(schemaProblems({ type })[0]!.reason, /or a list of them without one twice$/);
  t.deepEqual(schemaProblems({ type: ["null", "string"] }), []);
  const stored = { type: list(40_000, () => "null") };
  t.true(schemaErrors(stored, 1, "input")[0]!.reason.length < 2 * limits.schemaToldLengthMax);
});

test("given a schema with thousands of costly patterns, when it is published, then it is too large to check", (t) => {
  const schema = { allOf: list(3_000, (index) => ({ pattern: `\\p{L}\\p{N}${index}` })) };
  const problems = schemaProblems(schema, "input");
  t.regex(problems.at(-1)!.reason, /is too large to check: it takes more than/);
  t.deepEqual(schemaProblems({ allOf: list(100, () => ({ pattern: "^[a-z]+$" })) }), []);
});
