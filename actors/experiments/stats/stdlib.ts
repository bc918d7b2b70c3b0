import { createRequire } from "node:module";
import type gammainc from "@stdlib/math-base-special-gammainc";
import type gammaln from "@stdlib/math-base-special-gammaln";
import type tCdf from "@stdlib/stats-base-dists-t-cdf";
import type tQuantile from "@stdlib/stats-base-dists-t-quantile";

const load = createRequire(import.meta.url);

/** These are 400 files, and most threads compute no result: each function is loaded when it is first called. */
export const stdlib = {
  gammainc: (...args: Parameters<typeof gammainc>): number =>
    load("@stdlib/math-base-special-gammainc")(...args),
  gammaln: (...args: Parameters<typeof gammaln>): number =>
    load("@stdlib/math-base-special-gammaln")(...args),
  tCdf: (...args: Parameters<typeof tCdf>): number => load("@stdlib/stats-base-dists-t-cdf")(...args),
  tQuantile: (...args: Parameters<typeof tQuantile>): number =>
    load("@stdlib/stats-base-dists-t-quantile")(...args),
};
