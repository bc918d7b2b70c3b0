// The wall clock of a node that is wrong by so much; its monotonic clock is right.
const offsetMs = Number(process.env.TEST_CLOCK_SKEW_MS ?? 0);
const now = Date.now;
Date.now = () => now() + offsetMs;
