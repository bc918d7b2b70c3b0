import { ScalarType } from "@bufbuild/protobuf";
import test from "ava";
import { messagesIn, planOf, replaceElements } from "./field-plan.ts";
import { loadShapes } from "./shapes.cases.ts";

const { input: desc } = loadShapes().descriptor;

function told(name: string) {
  const { shape, element, key, zero, acceptsNull } = planOf(desc).byName.get(name)!;
  return { shape, type: element.type, key: key?.type, zero: zero?.(), acceptsNull };
}

test("a field of each kind has its plan", (t) => {
  const single = { shape: "single", key: undefined, acceptsNull: false };
  t.deepEqual(told("text"), { ...single, type: "scalar", zero: "" });
  t.deepEqual(told("maybe_text"), { ...single, type: "scalar", zero: undefined });
  t.deepEqual(told("flag"), { ...single, type: "scalar", zero: false });
  t.deepEqual(told("color"), { ...single, type: "enum", zero: "COLOR_UNSPECIFIED" });
  t.deepEqual(told("choice_large"), { ...single, type: "scalar", zero: undefined });
  t.deepEqual(told("inner"), { ...single, type: "message", zero: undefined });
  t.deepEqual(told("wrapped"), { ...single, type: "wrapper", zero: undefined });
  t.deepEqual(told("at"), { ...single, type: "known", zero: undefined });
  t.deepEqual(told("value"), { ...single, type: "known", zero: undefined, acceptsNull: true });
  t.deepEqual(told("inners"), { ...single, shape: "list", type: "message", zero: [] });
  const map = { ...single, shape: "map", zero: {} };
  t.deepEqual(told("larges_by_name"), { ...map, type: "scalar", key: ScalarType.STRING });
  t.deepEqual(told("texts_by_number"), { ...map, type: "scalar", key: ScalarType.INT32 });
});

test("the zeros of lists and maps are not shared", (t) => {
  for (const name of ["inners", "larges_by_name"]) {
    const { zero } = planOf(desc).byName.get(name)!;
    t.not(zero!(), zero!());
  }
});

test("the messages in a message that contains itself are found once", (t) => {
  const found = [...messagesIn([desc])];
  t.true(found.length > 3);
  t.is(found.filter((message) => message === desc).length, 1);
});

test("elements are replaced in place; a value of another shape stays as it is", (t) => {
  const double = (value: unknown) => Number(value) * 2;
  const list = [1, 2];
  t.is(replaceElements("list", list, double), list);
  t.deepEqual(list, [2, 4]);
  const map = { a: 1 };
  t.is(replaceElements("map", map, double), map);
  t.deepEqual(map, { a: 2 });
  t.is(replaceElements("single", 3, double), 6);
  for (const other of ["text", null, { a: 1 }]) t.deepEqual(replaceElements("list", other, double), other);
  for (const other of ["text", null, [1]]) t.deepEqual(replaceElements("map", other, double), other);
});
