import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { asError, assert, limits } from "#base";
import { corrupt, StorageError } from "../error.ts";
import type { OpenedShard } from "../journal.ts";
import { serve } from "../port.ts";
import { Serial } from "../serial.ts";
import type { Log, StorageHealth, StorageHost } from "../storage.ts";
import type { Control } from "./control.ts";
import { diskFree, fullError, isFull, makeFolder, stopProcess, syncFile, syncFolder } from "./durable.ts";
import { requireRoom } from "./environment.ts";
import { Fence } from "./fence.ts";
import { watchFolder } from "./folder-watch.ts";
import { createGeneration, type Generation, readGeneration } from "./generation.ts";
import { GenerationFile } from "./generation-file.ts";
import { folders } from "./layout.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { tightenModes } from "./modes.ts";
import { clearTemporary } from "./objects.ts";
import { soundTables } from "./rebuild.ts";
import { recoverJournal } from "./recovery.ts";
import { Reserve } from "./reserve.ts";
import { Segments } from "./segments.ts";
import { Status } from "./status.ts";
import { WriterThread } from "./writer-thread.ts";

/** Opens the folder for this process alone, and recovers what earlier starts left. */
export async function startEmbedded(settings: { readonly dir: string }, log: Log): Promise<StorageHost> {
  const dir = resolve(settings.dir);
  await makeFolder(dir).catch((error: NodeJS.ErrnoException) => {
    if (isFull(error)) throw fullError(error);
    throw new StorageError("unavailable", `storage.dir: the folder ${dir} cannot be made (${error.code})`);
  });
  const lock = await lockFolder(dir);
  try {
    return hostOf(dir, await recover(dir, lock, log));
  } catch (error) {
    await lock.release();
    throw isFull(error) ? fullError(error) : error;
  }
}

type Parts = Awaited<ReturnType<typeof recover>>;

async function recover(dir: string, lock: FolderLock, log: Log) {
  const { journal, tables, objects, reserve: reservePath, generation: generationPath } = folders(dir);
  const generation = await openGeneration(dir, generationPath, log);
  await tightenModes(dir, log);
  for (const folder of [journal, objects]) await mkdir(folder, { recursive: true, mode: 0o700 });
  await clearTemporary(objects);
  const status = new Status();
  // Before the first open the tables are empty, and a power loss during their creation may have left them corrupt.
  if (generation.number === 0) await rm(tables, { recursive: true, force: true });
  const found = await soundTables(dir, generation, log);
  await requireRoom(tables);
  await mkdir(tables, { recursive: true, mode: 0o700 });
  const writer = await WriterThread.start(tables, status, found);
  try {
    await syncFile(join(tables, "data.mdb"));
    await syncFolder(tables);
    await syncFolder(dir);
    const { watermarks } = found;
    const recovered = await recoverJournal(journal, generation, watermarks);
    for (const { path, offset } of recovered.torn)
      log(
        `${path} ended in a frame that was being written; it is cut off at offset ${offset}, nothing acknowledged was in it`,
      );
    generation.number = Math.max(generation.number, recovered.epochMax);
    const fence = new Fence(generation.number);
    for (const [shard, head] of recovered.heads.entries()) fence.setHead(shard, head);
    const file = new GenerationFile(generationPath, generation);
    const segments = new Segments(journal, file, watermarks.slice());
    await segments.adopt(recovered.records);
    const watched = { lock: lock.path, tables: join(tables, "data.mdb") };
    const endWatch = await watchFolder(dir, watched, stopProcess);
    const reserve = await Reserve.start(dir, reservePath, status);
    return { lock, generation: file, fence, segments, writer, status, endWatch, reserve };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function hostOf(dir: string, parts: Parts): StorageHost {
  const { generation, fence, segments, writer, status, reserve } = parts;
  /** One port for each worker that has a bootstrap. */
  const controls = new Set<MessagePort>();
  /** One open at a time: each is the next generation of the folder, and durable before it is answered. */
  const opens = new Serial();

  function addWorker(control: MessagePort): void {
    controls.add(control);
    segments.workerAdded(control);
    serve<Control>(control, {
      open: (shards) => opens.run(() => takeShards(generation, fence, shards)),
      segment: (starting) => segments.grant(control, starting),
      sealed: (...segment) => segments.sealed(...segment),
      trim: (marks) => segments.trim(marks),
      reserve: () => reserve.release(),
      files: (shard) => {
        const { epochs, heads } = generation.state;
        return { paths: segments.paths(), opened: { epoch: epochs[shard]!, head: heads[shard]! } };
      },
    });
    control.on("close", () => {
      controls.delete(control);
      segments.workerGone(control, (shard) => fence.head(shard));
    });
  }

  return {
    bootstrap() {
      const control = new MessageChannel();
      const flushes = new MessageChannel();
      addWorker(control.port1);
      writer.addClient(flushes.port1);
      return {
        data: {
          engine: "embedded",
          dir,
          control: control.port2,
          writer: flushes.port2,
          fence: { base: fence.base, buffer: fence.buffer },
          status: status.buffer,
        },
        transfer: [control.port2, flushes.port2],
      };
    },
    health: () => healthOf(dir, status),
    /**
     * Another process may own the folder soon. First the ports are closed, so that a worker that is still running gets
     * nothing more of the folder. Then every shard is fenced, so that it cannot write to what it has.
     */
    async close() {
      for (const control of controls) control.close();
      await opens.ended();
      const epoch = ++generation.state.number;
      for (let shard = 0; shard < limits.shardCount; shard++) fence.take(shard, epoch);
      await segments.close();
      await reserve.close();
      await writer.close();
      parts.endWatch();
      await parts.lock.release();
    },
  };
}

async function takeShards(
  file: GenerationFile,
  fence: Fence,
  shards: readonly number[],
): Promise<OpenedShard[]> {
  assert(new Set(shards).size === shards.length, "a list of shards to open has no shard twice");
  const { state: generation } = file;
  const epoch = ++generation.number;
  // First the fence, then the file: from here on the old owner acknowledges nothing, even if the write of the file
  // fails.
  const opened = shards.map((shard) => {
    assert(shard >= 0 && shard < limits.shardCount, `shard ${shard} exists`);
    return { shard, epoch, head: fence.take(shard, epoch).head };
  });
  for (const { shard, head } of opened) {
    generation.epochs[shard] = epoch;
    generation.heads[shard] = head;
  }
  await file.write();
  return opened;
}

async function healthOf(dir: string, status: Status): Promise<StorageHealth> {
  try {
    const free = `${Math.floor((await diskFree(dir)) / 2 ** 20)} MiB free in ${dir}`;
    if (!status.full) return { state: "healthy", detail: free };
    return { state: "degraded", detail: `the disk is full, only deletes are taken: ${free}` };
  } catch (error) {
    return { state: "gone", detail: asError(error).message };
  }
}

async function openGeneration(dir: string, path: string, log: Log): Promise<Generation> {
  if (!existsSync(path)) {
    if (existsSync(folders(dir).journal))
      throw corrupt(
        `${dir} has a journal and no file ${path}: the owners of the shards are not known; restore the file from a backup`,
      );
    return createGeneration(path);
  }
  const { generation, spoiledSlots } = await readGeneration(path);
  if (spoiledSlots > 0) log(`${path}: one of two slots was being written and is left aside`);
  return generation;
}
