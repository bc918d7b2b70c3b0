/** Loaded first in every thread of a service: makes it a build of the next format, which stores pools in a second version. */
const { limits } = await import("#base");
limits.formatMax++;
const { pools } = await import("../../dist/actors/pools/index.js");
const same = (value) => value;
pools.actors[0].shapeSteps = { pool: { 1: { format: limits.formatMax, up: same, down: same } } };
