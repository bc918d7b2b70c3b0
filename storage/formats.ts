/**
 * Which format the data of a shared store may have. A program reads all formats up to the newest it knows; it writes one
 * only when every node that shares the store knows it.
 */
export interface Formats {
  /** The newest that this program reads and writes. */
  readonly known: number;
  /** The newest that the store may have. */
  read(): Promise<number>;
  /** From now on the store may have this one: a program that does not know it takes no shard. Never lowers it. */
  raise(format: number): Promise<void>;
  /** Lets this process write it. */
  use(format: number): void;
}
