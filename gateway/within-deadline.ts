import { RefusalError } from "#base";
import type { Call } from "./call.ts";
import { timedOut } from "./stages/status-mapping.ts";

/** The caller gets its answer or, at the deadline, the news that there is none; the work itself is told by the signal. */
export function withinDeadline(call: Call, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leftMs = call.deadlineMs - Date.now();
    const timer = setTimeout(() => reject(new RefusalError(timedOut)), Math.max(0, leftMs));
    work.then(
      (response) => {
        clearTimeout(timer);
        resolve(response);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
