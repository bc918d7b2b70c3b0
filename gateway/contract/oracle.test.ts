import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import test from "ava";
import fc from "fast-check";
import { type FieldOptions, fieldOptions } from "#protos";
import { type ContractMethod, fromPlain, loadContract } from "./index.ts";

/**
 * protovalidate reads the same rules in its own way: whatever message both are given, they must agree. Left out is what
 * we decided differently: pages are brought into bounds, ids are upper case, and an update may be incomplete inside.
 */
const { methods, registry } = loadContract();
const oracle = createValidator({ registry });
const judged = methods.filter(
  ({ kind, descriptor }) =>
    kind === "unary" && !descriptor.input.fields.some(({ name }) => name === "update_mask"),
);

for (const method of judged) {
  test(`${method.name}: protovalidate takes and refuses the same requests`, (t) => {
    const { input } = method.descriptor;
    let taken = 0;
    // Where many members have to be there at once, few of a hundred are valid.
    for (const numRuns of [100, 2_000]) if (taken === 0) judge(numRuns);
    t.true(taken > 0, "some were valid");
    function judge(numRuns: number): void {
      fc.assert(
        fc.property(messages(input, 3), (plain) => {
          const verdict = oracle.validate(input, fromPlain(input, plain));
          if (verdict.kind === "error") throw verdict.error;
          const ours = method.validate(structuredClone(plain));
          const pageOnly = ours?.every(({ field }) => method.pagination !== undefined && field === "offset");
          t.is(ours === undefined || pageOnly, verdict.kind === "valid", describe(plain, method));
          if (verdict.kind === "valid") taken++;
        }),
        { numRuns, seed: 7 },
      );
    }
  });
}

function describe(plain: unknown, method: ContractMethod): string {
  return `${JSON.stringify(plain)} → ${JSON.stringify(method.validate(structuredClone(plain)))}`;
}

/** Messages with edges of every kind: mostly sound, so that errors stand alone. */
function messages(desc: DescMessage, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const model: Record<string, fc.Arbitrary<unknown>> = {};
  const chosen = desc.oneofs.map((oneof) => fc.constantFrom(...oneof.fields.map(({ name }) => name)));
  for (const field of desc.fields)
    if (!fieldOptions(registry, field).outputOnly) model[field.name] = values(field, depth);
  return fc.tuple(fc.record(model, { requiredKeys: [] }), ...chosen).map(([message, ...kept]) => {
    for (const field of desc.fields) {
      if (field.oneof !== undefined && !kept.includes(field.name)) delete message[field.name];
    }
    return message;
  });
}

function values(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.fieldKind === "list") return fc.array(elements(field, depth), { maxLength: 3 });
  if (field.fieldKind === "map")
    return fc.dictionary(fc.constantFrom("a", "region", "x".repeat(129)), elements(field, depth));
  return elements(field, depth);
}

function elements(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.message !== undefined) return inner(field.message, depth);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ name }) => name));
  switch (field.scalar) {
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.STRING:
      // Which kinds there are is a rule of ours.
      if (fieldOptions(registry, field).eventKind) return fc.constantFrom("pool", "queue_item.dead");
      return fc.oneof(
        { weight: 6, arbitrary: wordsFor(field) },
        { weight: 1, arbitrary: fc.constantFrom("", "x", "é".repeat(257)) },
      );
    case ScalarType.BYTES:
      return fc.constantFrom("", "AAEC");
    case ScalarType.DOUBLE:
      return fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(0.5, 1) },
        { weight: 1, arbitrary: fc.constantFrom(0, 2, 100, 100.5, -1) },
      );
    default:
      return fc.oneof(
        { weight: 6, arbitrary: countsFor(field) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(0, -1, 101, 1_001, 43_200, 43_201, 1_000_000, 1_000_001, 2_147_483_647),
        },
      );
  }
}

/** A few small numbers that the rules of the field take. */
function countsFor(field: DescField): fc.Arbitrary<number> {
  const least = (fieldOptions(registry, field).rules?.int32 as { gte?: number } | undefined)?.gte ?? 1;
  return fc.integer({ min: Math.max(least, 1), max: Math.max(least, 1) + 4 });
}

/** Texts that the rules of the field take, as far as they say so. */
function wordsFor(field: DescField): fc.Arbitrary<string> {
  const rules = fieldOptions(registry, field).rules;
  const text = (rules?.string ?? rulesOfItems(rules)) as
    | { in?: string[]; ulid?: boolean; pattern?: string }
    | undefined;
  if (text?.in !== undefined) return fc.constantFrom(...text.in);
  if (text?.ulid === true) return fc.constantFrom("01J9ZC5T8N4W0QK7V3M2B6XH1D", "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  if (text?.pattern?.includes("sha256:")) return fc.constant(`sha256:${"0".repeat(64)}`);
  if (text?.pattern?.startsWith("^[0-9a-f]{64}")) return fc.constant("0".repeat(64));
  return text?.pattern?.startsWith("^g_")
    ? fc.constant(`g_${"0".repeat(32)}`)
    : fc.constantFrom("a", "production");
}

function rulesOfItems(rules: FieldOptions["rules"]): unknown {
  return (rules?.repeated as { items?: { string?: unknown } } | undefined)?.items?.string;
}

function inner(desc: DescMessage, depth: number): fc.Arbitrary<unknown> {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return fc.constantFrom("2024-02-29T00:00:00.000Z", "1969-12-31T23:59:59.999Z");
    case "google.protobuf.Struct":
      return fc.constantFrom({}, { a: 1 });
    case "google.protobuf.Value":
      return fc.constantFrom(null, 1, "a", { a: [1] });
    default:
      return depth === 0 ? fc.constant({}) : messages(desc, depth - 1);
  }
}
