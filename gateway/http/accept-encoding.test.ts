import test from "ava";
import { sendsGzip } from "./accept-encoding.ts";

for (const [header, worthIt, not] of [
  [undefined, false, false],
  ["", false, false],
  ["gzip", true, false],
  ["GZip", true, false],
  [" br , gzip ; q=0.5 ", true, false],
  ["x-gzip", true, false],
  ["gzip;q=0", false, false],
  ["gzip;Q=0.000", false, false],
  ["gzip; q=0, *", false, false],
  ["*", true, false],
  ["*;q=0", false, false],
  ["*;q=0, gzip", true, true],
  ["*;q=0, identity", false, false],
  ["identity;q=0", false, false],
  ["identity;q=0, gzip;q=0.1", true, true],
  ["identity, gzip;q=0.5", false, false],
  ["gzip, identity;q=0.5", true, false],
  ["gzip;q=high", false, false],
  ["gzipped", false, false],
  ["br", false, false],
] as const)
  test(`accept-encoding ${header === undefined ? "absent" : `"${header}"`}`, (t) => {
    t.is(sendsGzip(header, true), worthIt);
    t.is(sendsGzip(header, false), not, "a body that is not worth it");
  });
