/**
 * Which format the data of a shared store may have. A program reads all formats up to the newest it knows. It writes a
 * format only when every node that shares the store knows it.
 */
export interface Formats {
  /** The newest format that this program reads and writes. */
  readonly known: number;
  /** The newest format that the store may have. */
  read(): Promise<number>;
  /** Allows the store to have this format: a program that does not know it takes no shard. Never lowers the format. */
  raise(format: number): Promise<void>;
  /** Allows this process to write the format. */
  use(format: number): void;
}
