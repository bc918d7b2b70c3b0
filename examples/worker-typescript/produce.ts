/** Puts ten pictures into the queue `pictures`, waits until they are handled, and counts. */
import { ItemFailed, Switchyard } from "@switchyard/client";

const sy = new Switchyard();
const pool = await sy.pools.create({ name: "pictures", if_absent: true });

async function isCompleted(width: number): Promise<boolean> {
  try {
    await sy.enqueueAndWait({ pool_id: pool.id, payload: { width } });
    return true;
  } catch (error) {
    if (error instanceof ItemFailed) return false;
    throw error;
  }
}

const widths = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90];
const results = await Promise.all(widths.map(isCompleted));
const completed = results.filter(Boolean).length;
console.log(`${results.length} pictures, ${completed} completed, ${results.length - completed} failed`);
