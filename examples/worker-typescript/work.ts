/** Handles pictures of the queue `pictures`, five at a time, until it gets SIGTERM or SIGINT. */
import { PermanentError, Switchyard } from "@switchyard/client";

const sy = new Switchyard();
const pool = await sy.pools.create({ name: "pictures", if_absent: true });

const worker = sy.worker(
  pool.id,
  async (item, { progress }) => {
    const { width } = item.payload as { readonly width: number };
    if (width === 0) throw new PermanentError("a picture has a width");
    progress({ percent: 50, note: "half the width" });
    return { width: width / 2 };
  },
  { concurrency: 5, onError: (error) => console.error(error) },
);
await worker.done;
