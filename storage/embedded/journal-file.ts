import { close, constants, ftruncate, openSync, write } from "node:fs";

/** All that the journal needs of a file. It is small, so that tests can replace it by a recording or a failing one. */
export interface JournalFile {
  /** Calls back when the bytes are durable. One call at a time. */
  write(bytes: Buffer, length: number, offset: number, done: (error: Error | null) => void): void;
  truncate(length: number, done: (error: Error | null) => void): void;
  close(): Promise<void>;
}

export type OpenJournalFile = (path: string) => JournalFile;

/**
 * O_DSYNC makes every write also its fdatasync, in one trip to the thread pool instead of two (measured: 6.8 k against
 * 4.4 k frames/s of 74 KB on a preallocated file), and keeps both off the event loop.
 */
export const openJournalFile: OpenJournalFile = (path) => {
  const fd = openSync(path, constants.O_RDWR | constants.O_DSYNC);
  const writeFrom = (
    bytes: Buffer,
    from: number,
    length: number,
    offset: number,
    done: (error: Error | null) => void,
  ): void => {
    write(fd, bytes, from, length - from, offset + from, (error, written) => {
      if (error) done(error);
      else if (from + written === length) done(null);
      // Writing the rest of a short write returns the error that made it short.
      else if (written > 0) writeFrom(bytes, from + written, length, offset, done);
      else done(Object.assign(new Error("nothing was written"), { code: "ENOSPC" }));
    });
  };
  return {
    write: (bytes, length, offset, done) => writeFrom(bytes, 0, length, offset, done),
    truncate: (length, done) => ftruncate(fd, length, done),
    close: () =>
      new Promise((resolve) => {
        close(fd, () => resolve());
      }),
  };
};
