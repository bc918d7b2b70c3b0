import test from "ava";
import fc from "fast-check";
import { isRefusal, limits } from "#base";
import { after, boundsOf, cursorOf, cutToBytes, type List, openCursor, type Page, pageOf } from "./list.ts";

interface Entry {
  readonly id: string;
}

const scope = ["tenant", "list"];
const list: List<Entry> = { scope, shape: ["string"], positionOf: ({ id }) => [id] };
const entries: readonly Entry[] = ["a", "b", "c", "d"].map((id) => ({ id }));

function page(request: object, values = entries) {
  const read = (bounds: Parameters<typeof after>[1]) =>
    after(values, bounds, ({ id }, [position]) => id > position!);
  return pageOf(request, { ...list, read }, ({ id }) => id);
}

for (const [asked, size] of [
  [undefined, 50],
  [0, 50],
  [-3, 50],
  [1, 1],
  [1_000, 1_000],
  [1_001, 1_000],
] as const)
  test(`a page of ${asked} has ${size}`, (t) => {
    t.like(boundsOf({ ...(asked !== undefined && { page_size: asked }) }, list), { size, limit: size + 1 });
  });

test("an offset is at least 0, and refused beyond 10,000", (t) => {
  for (const [offset, skip] of [
    [-1, 0],
    [10_000, 10_000],
  ] as const)
    t.like(boundsOf({ offset }, list), { skip });
  t.like(boundsOf({ offset: 10_001 }, list), { code: "INVALID_ARGUMENT" });
});

test("pages follow each other without a gap or a repetition, and the last one has no cursor", (t) => {
  const first = page({ page_size: 3 }) as Page<string>;
  t.deepEqual([first.values, first.total], [["a", "b", "c"], 4]);
  const second = page({ page_size: 3, page_token: first.next_page_token }) as Page<string>;
  t.deepEqual([second.values, second.next_page_token], [["d"], ""]);
});

test("a search that stopped early goes on behind its end, and skips what is left to skip", (t) => {
  const found = { values: [], end: ["k"] };
  const early = pageOf({ offset: 5 }, { ...list, read: () => found }, ({ id }) => id) as Page<string>;
  t.deepEqual(early.values, []);
  t.like(boundsOf({ page_token: early.next_page_token }, list), { after: ["k"], skip: 5 });
});

test("a cursor opens with its scope and shape alone, and what is none is refused", (t) => {
  const cursor = cursorOf(scope, ["a", 1]);
  t.deepEqual(openCursor(scope, cursor, ["string", "number"]), ["a", 1]);
  const bare = Buffer.from(cursor, "base64url").subarray(0, 8).toString("base64url");
  const edited = Buffer.from(cursor, "base64url");
  edited[edited.length - 2]! ^= 1;
  for (const refused of [
    openCursor(["tenant", "other"], cursor, ["string", "number"]),
    openCursor(scope, cursor, ["string"]),
    openCursor(scope, edited.toString("base64url"), ["string", "number"]),
    openCursor(scope, bare, ["string", "number"]),
    openCursor(scope, "", ["string", "number"]),
  ])
    t.like(refused, { code: "INVALID_ARGUMENT" });
});

test("a forged cursor is refused, or shows what the list shows anyway", (t) => {
  const part = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.constant(null), fc.object());
  const all = new Set(entries.map(({ id }) => id));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const forged = page({ page_token: cursorOf(scope, parts as never) });
      if (isRefusal(forged)) return forged.code === "INVALID_ARGUMENT";
      return forged.values.every((id) => all.has(id)) && forged.values.length <= entries.length;
    }),
  );
  for (const skip of [-1, 0.5, limits.pageOffsetMax + 1, Number.MAX_SAFE_INTEGER])
    t.like(page({ page_token: cursorOf(scope, ["a", skip]) }), { code: "INVALID_ARGUMENT" });
});

test("a page is cut at its bytes, and has at least one entry", (t) => {
  const half = "x".repeat(limits.pageBytesMax / 2);
  t.is(cutToBytes([half, "", half]).length, 2);
  t.is(cutToBytes([half + half, ""]).length, 1);
  t.is(cutToBytes(["", ""]).length, 2);
  const large = [half, half, half].map((text, index) => ({ id: `${index}${text}` }));
  const { values, next_page_token } = page({}, large) as Page<string>;
  t.is(values.length, 1);
  t.is((page({ page_token: next_page_token }, large) as Page<string>).values[0], large[1]!.id);
});
