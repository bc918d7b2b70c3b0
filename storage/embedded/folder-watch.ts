import { stat } from "node:fs/promises";
import { limits } from "#base";

/**
 * Checks, while the process runs, that lock and tables of the folder are still the files that this process opened.
 * Without the lock another process may take the folder. Tables that were removed or cut short lose every row written to
 * them, and reading them ends the process without a message.
 */
export class FolderWatch {
  readonly #dir: string;
  readonly #files: readonly WatchedFile[];
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  private constructor(dir: string, files: readonly WatchedFile[], stop: Stop) {
    this.#dir = dir;
    this.#files = files;
    this.#timer = setInterval(() => {
      this.#look().then(
        (lost) => {
          if (lost && !this.#closed) stop(lost.reason, lost.because);
        },
        // A check that fails is repeated with the next tick.
        () => undefined,
      );
    }, limits.folderWatchMs);
    this.#timer.unref();
  }

  static async start(dir: string, paths: { lock: string; tables: string }, stop: Stop): Promise<FolderWatch> {
    const lock = await watched(paths.lock, "another process may take the folder");
    const tables = await watched(paths.tables, "rows would be lost");
    return new FolderWatch(dir, [lock, tables], stop);
  }

  /** The files are given up now: a check under way reports nothing. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  async #look(): Promise<{ reason: string; because: string } | undefined> {
    for (const file of this.#files) {
      // A folder that is moved away takes its lock along. Checked twice, because the folder may be moved between the
      // two `stat` calls of one check.
      if ((await this.#changed(file)) === undefined) continue;
      const reason = await this.#changed(file);
      if (reason !== undefined) return { reason, because: file.because };
    }
    return;
  }

  async #changed(file: WatchedFile): Promise<string | undefined> {
    if ((await found(this.#dir)) === undefined) return;
    const now = await found(file.path);
    if (now === undefined || now.ino !== file.ino) return `${file.path} was removed while it was in use`;
    if (now.size < file.size) return `${file.path} was cut short while it was in use`;
    file.size = now.size;
    return;
  }
}

type Stop = (reason: string, because: string) => void;

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

/** Undefined: it is not there. */
async function found(path: string): Promise<{ ino: number; size: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return;
    throw error;
  }
}
