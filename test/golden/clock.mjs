/** Loaded first in every thread of a service: sets its wall clock to the day on which a golden folder was made. */
const shiftMs = Number(process.env.GOLDEN_SHIFT_MS);
const now = Date.now;
Date.now = () => now() + shiftMs;
