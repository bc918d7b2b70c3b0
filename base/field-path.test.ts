import test from "ava";
import { quotedPart, splitPath } from "./field-path.ts";

test("every key but __proto__ can be a part of a path", (t) => {
  for (const key of ["region", "app.io/name", "a`b", "`", "``", "a,b", "", "1", "ü", "a b"])
    t.deepEqual(splitPath(`labels.${quotedPart(key)}.x`), ["labels", key, "x"]);
  t.is(splitPath(`labels.${quotedPart("__proto__")}`), undefined);
});

test("a path with a backquote out of place names nothing", (t) => {
  for (const path of ["labels.`a", "labels.a`", "labels.`a`b`", "labels.`a`b", "`", "labels.```", "a..b", ""])
    t.is(splitPath(path), undefined, path);
});
