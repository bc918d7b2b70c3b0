import { limits } from "#base";
import { type Runtime, startRuntime, systemWorld } from "#runtime";
import { attachStorage, type Storage, startStorage } from "#storage";
import { counter } from "./counter.ts";
import { inFolder } from "./folder.ts";

/** A runtime over a new folder, in this thread, with all shards. */
export function withRuntime<T>(
  run: (runtime: Runtime, again: () => Promise<{ runtime: Runtime; openMs: number }>) => Promise<T>,
): Promise<T> {
  return inFolder(async (dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    let storage: Storage | undefined;
    let runtime: Runtime | undefined;
    let bootstraps = 0;
    const open = async () => {
      const start = performance.now();
      storage = await attachStorage(host.bootstrap(bootstraps++).data);
      runtime = await startRuntime({
        storage,
        shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
        definitions: [counter],
        world: systemWorld(),
        limits: {
          mailboxDepthMax: 100_000,
          tenantMailboxDepthMax: 100_000,
          threadMailboxDepthMax: 100_000,
        },
      });
      return { runtime, openMs: performance.now() - start };
    };
    const close = async () => {
      await runtime?.drain();
      runtime?.stop();
      await storage?.close();
    };
    const again = async () => {
      await close();
      return open();
    };
    const result = await run((await open()).runtime, again);
    await close();
    await host.close();
    return result;
  });
}
