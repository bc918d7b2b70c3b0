/** Loaded first in every thread of a service: its wall clock is set back by a day when `CLOCK_BACK` exists. */
import { existsSync } from "node:fs";

const dayMs = 86_400_000;
const now = Date.now;
let backMs = 0;
Date.now = () => now() - backMs;
setInterval(() => {
  if (existsSync(process.env.CLOCK_BACK)) backMs = dayMs;
}, 100).unref();
