// Shifts the wall clock of a node by a fixed amount; its monotonic clock stays right.
const offsetMs = Number(process.env.TEST_CLOCK_SKEW_MS ?? 0);
const now = Date.now;
Date.now = () => now() + offsetMs;
