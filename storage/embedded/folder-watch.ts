import { stat } from "node:fs/promises";
import { limits } from "#base";
import { ifPresent } from "./durable.ts";

/**
 * Checks, while the process runs, that lock and tables of the folder are still the files that this process opened.
 * Without the lock another process may take the folder. Tables that were removed or cut short lose every row written to
 * them, and reading them ends the process without a message. Returns a function that ends the watch.
 */
export async function watchFolder(
  dir: string,
  paths: { readonly lock: string; readonly tables: string },
  stop: (reason: string, because: string) => void,
): Promise<() => void> {
  const files = [
    await watched(paths.lock, "another process may take the folder"),
    await watched(paths.tables, "rows would be lost"),
  ];
  let closed = false;
  const look = async () => {
    for (const file of files) {
      // A folder that is moved away takes its lock along. Checked twice, because the folder may be moved between the
      // two `stat` calls of one check.
      if ((await changed(dir, file)) === undefined) continue;
      const reason = await changed(dir, file);
      // A check under way at the end of the watch reports nothing: the files are given up then.
      if (reason !== undefined && !closed) return stop(reason, file.because);
    }
  };
  // A check that fails is repeated with the next tick.
  const timer = setInterval(() => void look().catch(() => undefined), limits.folderWatchMs);
  timer.unref();
  return () => {
    closed = true;
    clearInterval(timer);
  };
}

interface WatchedFile {
  readonly path: string;
  readonly because: string;
  readonly ino: number;
  size: number;
}

async function watched(path: string, because: string): Promise<WatchedFile> {
  const { ino, size } = await stat(path);
  return { path, because, ino, size };
}

async function changed(dir: string, file: WatchedFile): Promise<string | undefined> {
  if ((await ifPresent(stat(dir))) === undefined) return;
  const now = await ifPresent(stat(file.path));
  if (now === undefined || now.ino !== file.ino) return `${file.path} was removed while it was in use`;
  if (now.size < file.size) return `${file.path} was cut short while it was in use`;
  file.size = now.size;
  return;
}
