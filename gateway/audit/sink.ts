import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

/** Where lines go. What was given to a `write` that failed is not there; it may be given again. */
export interface Sink {
  write(lines: string): Promise<void>;
}

/**
 * Appends to a file, durably. It is opened for every write: a file that was moved away by log rotation is followed by a
 * new one.
 */
export function fileSink(file: string): Sink {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return {
    async write(lines) {
      const handle = await open(file, "a", 0o600);
      try {
        const { size } = await handle.stat();
        try {
          await handle.writeFile(lines);
          await handle.datasync();
        } catch (error) {
          // Half a batch would be there twice after the next try.
          await handle.truncate(size).catch(() => undefined);
          throw error;
        }
      } finally {
        await handle.close();
      }
    },
  };
}

export function streamSink(stream: NodeJS.WritableStream): Sink {
  // Told to the writer; without a listener it would end the process.
  stream.on("error", () => undefined);
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        stream.write(lines, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
