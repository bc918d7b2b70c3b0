import test from "ava";
import { requestIdOf } from "./request-id.ts";

const given = (id: string | undefined) => ({ get: () => id });

test("a caller's id is taken where it is safe to show, and replaced where it is not", (t) => {
  t.is(requestIdOf(given("job-17/step:2")), "job-17/step:2");
  for (const id of ["", "two words", "line\r\nbreak", "x".repeat(129)]) t.not(requestIdOf(given(id)), id);
});

test("ids that are made are UUIDs, and all different", (t) => {
  const ids = new Set(Array.from({ length: 100_000 }, () => requestIdOf(given(undefined))));
  t.is(ids.size, 100_000);
  for (const id of [...ids].slice(0, 1_000))
    t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
