import { readFileSync } from "node:fs";
import test from "ava";
import { limits } from "#base";
import { exampleOf } from "#protos/snippets";
import type { Surface } from "#protos/surface";
import { createCompilers } from "./compilers.ts";
import { loadContract } from "./index.ts";
import { inner, loadShapes, shapes } from "./shapes.cases.ts";
import { validatorOf } from "./validate.ts";

const surface: Surface = JSON.parse(
  readFileSync(new URL("../../protos/gen/surface.json", import.meta.url), "utf8"),
);
const method = loadShapes();
const errors = (message: object) => method.validate(message);

test("every method of the contract compiles, and refuses a field it does not have by name", (t) => {
  const { methods } = loadContract();
  t.true(methods.length > 0);
  for (const { name, validate } of methods) {
    const found = validate({ no_such_field: 1 }) ?? [];
    t.true(
      found.some(
        ({ field, reason }) => field === "no_such_field" && reason === "is not a field of this message",
      ),
      name,
    );
  }
});

test("given a field that only other calls change, an update says which ones they are", (t) => {
  const { byName } = loadContract();
  const reasons = (method: string, message: object) =>
    byName
      .get(method)!
      .validate(message)
      ?.map(({ field, reason }) => `${field} ${reason}`);
  const pool_id = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
  const enable = "changed by POST /api/pools/{pool_id}:set_enabled";
  t.deepEqual(reasons("PoolService.UpdatePool", { pool_id, status: "STATUS_DISABLED" }), [
    `status is not set by this call: it is ${enable}`,
  ]);
  t.deepEqual(reasons("PoolService.UpdatePool", { pool_id, update_mask: ["status"] }), [
    `update_mask names status, which is not set by this call: it is ${enable}`,
  ]);
  t.deepEqual(reasons("PoolService.UpdatePool", { pool_id, id: pool_id }), [
    "id is set by the service and cannot be given",
  ]);
  t.deepEqual(reasons("RecipientService.UpdateRecipient", { recipient_id: pool_id, health: {} }), [
    "health is not set by this call: it is changed by POST /api/outcomes and POST /api/recipients/{recipient_id}/heartbeat",
  ]);
  t.deepEqual(reasons("RuleService.UpdateRule", { rule_id: pool_id, evaluation_errors: 0, nothing: 1 }), [
    "evaluation_errors is set by the service and cannot be given",
    "nothing is not a field of this message",
  ]);
});

test("bytes of 4 MB in base64 are valid, and refused with one character that does not belong", (t) => {
  const long = "AAAA".repeat(1_400_000);
  t.is(errors({ ...structuredClone(shapes), data: long }), undefined);
  t.is(errors({ ...structuredClone(shapes), data: `${long}AA*=` })?.[0]?.reason, "must be base64");
});

test("every example of the reference is valid as it stands", (t) => {
  const { methods } = loadContract();
  const withRest = methods.filter(({ rest, command }) => rest.length > 0 && command !== undefined);
  t.true(withRest.length > 250);
  for (const { name, rest, example, validate } of withRest) {
    const { request } = exampleOf(surface, surface.methods.find(({ id }) => id === name)!);
    if (rest.some(({ body }) => body !== undefined)) t.true(example !== undefined, `${name} has an example`);
    t.is(validate(request), undefined, name);
  }
});

test("a message with every shape is valid and stays as it was", (t) => {
  const message = structuredClone(shapes);
  t.is(errors(message), undefined);
  t.deepEqual(message as object, shapes);
});

test("fields without presence are filled in, those with presence are not", (t) => {
  const message = {};
  t.is(errors(message), undefined);
  t.deepEqual(message, {
    text: "",
    flag: false,
    small: 0,
    large: 0,
    natural: 0,
    natural_large: 0,
    fraction: 0,
    data: "",
    color: "COLOR_UNSPECIFIED",
    texts: [],
    larges: [],
    colors: [],
    inners: [],
    larges_by_name: {},
    inners_by_name: {},
    texts_by_number: {},
    times: [],
    code: "",
  });
});

test("what ProtoJSON lets people write is brought to the plain shape", (t) => {
  const message = {
    large: "-42",
    natural_large: "9007199254740991",
    maybe_large: "1e3",
    color: 2,
    colors: [1, "COLOR_BLUE"],
    larges: ["1", 2],
    larges_by_name: { a: "5" },
    data: "AAEC_w",
    at: "2024-03-01T01:59:59.9999+02:00",
    times: ["1970-01-01t00:00:00z"],
    mask: "text,inner.neededThing",
    maybe_text: null,
    value: null,
    wrapped: "3",
    choice_large: "8",
  };
  t.is(errors(message), undefined);
  t.like(message, {
    large: -42,
    natural_large: 9_007_199_254_740_991,
    maybe_large: 1_000,
    color: "COLOR_BLUE",
    colors: ["COLOR_RED", "COLOR_BLUE"],
    larges: [1, 2],
    larges_by_name: { a: 5 },
    data: "AAEC/w==",
    at: "2024-02-29T23:59:59.999Z",
    times: ["1970-01-01T00:00:00.000Z"],
    value: null,
    wrapped: 3,
    choice_large: 8,
  });
  t.deepEqual(message.mask as unknown, ["text", "inner.needed_thing"]);
  t.false("maybe_text" in message);
});

const refused: readonly [object, string, string][] = [
  [{ text: "abcd" }, "text", "must have at most 3 characters"],
  [{ text: 1 }, "text", "must be a string"],
  [{ small: 2_147_483_648 }, "small", "must be at most 2147483647"],
  [{ small: 1.5 }, "small", "must be an integer"],
  [{ large: 2 ** 53 }, "large", "must be at most 9007199254740991"],
  [{ large: "9007199254740993" }, "large", "must be an integer"],
  [{ natural: -1 }, "natural", "must be at least 0"],
  [{ fraction: "NaN" }, "fraction", "must be a number"],
  [{ fraction: Number.NaN }, "fraction", "must be a finite number that a double can hold (up to 1.79e308)"],
  [{ data: "*" }, "data", "must be base64"],
  [{ color: "GREEN" }, "color", "must be one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_BLUE"],
  [{ color: 7 }, "color", "must be a string"],
  [{ maybe_text: "" }, "maybe_text", "must have at least 2 characters"],
  [{ maybe_text: "é€" }, "maybe_text", "must have at most 4 bytes"],
  [{ texts: ["a", ""] }, "texts[1]", "must not be empty"],
  [{ texts: ["a", "a"] }, "texts", "must not repeat an item"],
  [{ texts: ["a", "b", "c", "d"] }, "texts", "must have at most 3 items"],
  [{ texts: "a" }, "texts", "must be an array"],
  [{ larges_by_name: { "A b": 1 } }, 'larges_by_name["A b"]', "must match ^[a-z]+$"],
  [{ larges_by_name: { a: "x" } }, 'larges_by_name["a"]', "must be an integer"],
  [{ larges_by_name: { a: 1, b: 2, c: 3 } }, "larges_by_name", "must have at most 2 entries"],
  [{ inner: { left: "l" } }, "inner.needed", "is required"],
  [{ inner: { needed: "x" } }, "inner", "must have exactly one of left, right"],
  [{ inners: [inner, { ...inner, right: 1 }] }, "inners[1]", "must have exactly one of left, right"],
  [
    { inners_by_name: { "a/b~": { ...inner, odd: 1 } } },
    'inners_by_name["a/b~"].odd',
    "is not a field of this message",
  ],
  [{ again: { again: { text: "long" } } }, "again.again.text", "must have at most 3 characters"],
  [{ at: "yesterday" }, "at", "must be an RFC 3339 time"],
  [{ at: "2024-02-30T00:00:00Z" }, "at", "must be an RFC 3339 time"],
  [{ lasts: "1m" }, "lasts", "must match ^-?\\d{1,12}(\\.\\d{1,9})?s$"],
  [{ structure: [] }, "structure", "must be an object"],
  [
    { choice_text: "a", choice_large: 1 },
    "",
    "must have at most one of choice_text, choice_inner, choice_large",
  ],
  [{ given: "x" }, "given", "is set by the service and cannot be given"],
  [{ code: "ab" }, "code", "must match ^[A-Z]{2}$"],
];

for (const [message, field, reason] of refused) {
  test(`${JSON.stringify(message)} is refused: ${field} ${reason}`, (t) => {
    t.deepEqual(errors(structuredClone(message)), [{ field, reason }]);
  });
}

test("all errors of a message are told, but not more than twenty", (t) => {
  t.deepEqual(
    errors({ text: 1, flag: 1, inner: { odd: 1, needed: 1, left: "" } })?.map(({ field }) => field),
    ["text", "flag", "inner.odd", "inner.needed"],
  );
  t.is(errors({ inners: Array.from({ length: 100 }, () => ({})) })?.length, 20);
});

test("a method's schemas are compiled once, however often it is called wrongly", (t) => {
  const compilers = createCompilers();
  let compiled = 0;
  for (const ajv of Object.values(compilers)) {
    const compile = ajv.compile.bind(ajv);
    ajv.compile = ((schema: object) => {
      compiled++;
      return compile(schema);
    }) as typeof ajv.compile;
  }
  const { registry, byName } = loadContract();
  const validate = validatorOf(registry, byName.get("PoolService.GetPool")!.descriptor, undefined, compilers);
  for (let i = 0; i < 5; i++) t.is(validate({ pool_id: "x" })?.length, 1);
  t.is(compiled, 2);
});

test("a large message is told its first error only", (t) => {
  t.is(errors({ larges: Array.from({ length: 5_000 }, () => "x") })?.length, 1);
});

test("a field with an endless name is not told back whole", (t) => {
  const [error] = errors({ ["x".repeat(1_000_000)]: 1 }) ?? [];
  t.is(error?.field.length, limits.fieldPathLengthMax);
});

test("a body that is no object is refused", (t) => {
  for (const body of [[], null, "x", 1]) t.is(method.validate(body)?.[0]?.reason, "must be an object");
});

test("page sizes are brought into their bounds; only a contradiction is refused", (t) => {
  const list = loadContract().byName.get("PoolService.ListPools")!;
  const page = (message: object) => list.validate(message) ?? message;
  t.like(page({}), { page_size: 50, offset: 0, page_token: "" });
  t.like(page({ page_size: -1, offset: -5 }), { page_size: 50, offset: 0 });
  t.like(page({ page_size: 1e12 }), { page_size: 1_000 });
  t.deepEqual(page({ page_size: 1.5 }), [{ field: "page_size", reason: "must be an integer" }]);
  t.deepEqual(page({ offset: 1, page_token: "x" }), [
    { field: "offset", reason: "must not be combined with page_token" },
  ]);
  t.deepEqual(page({ offset: 10_001 }), [
    { field: "offset", reason: "must be at most 10000; go further with page_token" },
  ]);
});

test("an update may name single members of a part; a create must name all that are required", (t) => {
  const { byName } = loadContract();
  const config = { admission: { throttle: { limit: 5 } } };
  const update = byName.get("PoolService.UpdatePool")!;
  t.is(
    update.validate({ pool_id: "01J9ZC5T8N4W0QK7V3M2B6XH1D", config: structuredClone(config) }),
    undefined,
  );
  t.deepEqual(byName.get("PoolService.CreatePool")!.validate({ name: "a", config }), [
    { field: "config.admission.throttle.period_ms", reason: "is required" },
  ]);
  t.deepEqual(update.validate({ config: { admission: { throttle: { limit: 0 } } } }), [
    { field: "pool_id", reason: "must be a ULID" },
    { field: "config.admission.throttle.limit", reason: "must be at least 1" },
  ]);
});
