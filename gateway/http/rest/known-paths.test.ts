import test from "ava";
import { limits } from "#base";
import { KnownPaths } from "./known-paths.ts";

type Found = NonNullable<ReturnType<KnownPaths["find"]>>;

const found = (...values: string[]) => ({ type: "found", route: {}, values }) as unknown as Found;

test("a path is found again by the verb it came with, and by no other", (t) => {
  const paths = new KnownPaths();
  const route = found("A");
  paths.keep("POST", "/api/pools/A:route", route);
  t.is(paths.find("POST", "/api/pools/A:route"), route);
  t.is(paths.find("GET", "/api/pools/A:route"), undefined);
  t.is(paths.find("POST", "/api/pools/B:route"), undefined);
});

test("paths of single items, and long ones, are not kept", (t) => {
  const paths = new KnownPaths();
  const long = `/api/${"x".repeat(limits.knownPathLengthMax)}`;
  paths.keep("POST", "/api/queues/A/items/B/complete", found("A", "B"));
  paths.keep("POST", long, found("A"));
  t.is(paths.find("POST", "/api/queues/A/items/B/complete"), undefined);
  t.is(paths.find("POST", long), undefined);
});

test("no more are kept than may be, however many are asked for", (t) => {
  const paths = new KnownPaths();
  for (let i = 0; i <= limits.knownPathsMax; i++) paths.keep("POST", `/api/pools/${i}:route`, found(`${i}`));
  const kept = Array.from({ length: limits.knownPathsMax + 1 }, (_, i) =>
    paths.find("POST", `/api/pools/${i}:route`),
  ).filter((one) => one !== undefined);
  t.true(kept.length <= limits.knownPathsMax);
  t.truthy(paths.find("POST", `/api/pools/${limits.knownPathsMax}:route`));
});
