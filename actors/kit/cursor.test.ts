import test from "ava";
import { openCursor, pageBounds, sealCursor } from "./cursor.ts";

const scope = ["tenant", "list"];

for (const [asked, size] of [
  [undefined, 50],
  [0, 50],
  [-3, 50],
  [1, 1],
  [1_000, 1_000],
  [1_001, 1_000],
] as const)
  test(`a page of ${asked} has ${size}`, (t) => {
    t.like(pageBounds({ ...(asked !== undefined && { page_size: asked }) }, "s", scope), { size });
  });

test("an offset is at least 0, and refused beyond 10,000", (t) => {
  for (const [offset, used] of [
    [-1, 0],
    [10_000, 10_000],
  ] as const)
    t.like(pageBounds({ offset }, "s", scope), { offset: used });
  t.like(pageBounds({ offset: 10_001 }, "s", scope), { code: "INVALID_ARGUMENT" });
});

test("a cursor opens with its secret and scope alone, and what is none is refused", (t) => {
  const cursor = sealCursor("s", scope, ["a", 1]);
  t.deepEqual(openCursor("s", scope, cursor), ["a", 1]);
  const bare = Buffer.from(cursor, "base64url").subarray(0, 16).toString("base64url");
  for (const refused of [
    openCursor("other", scope, cursor),
    openCursor("s", ["tenant", "other"], cursor),
    openCursor("s", scope, bare),
    openCursor("s", scope, ""),
  ])
    t.like(refused, { code: "INVALID_ARGUMENT" });
});
