/**
 * The nodes that share a store. The version rises by one with every change of the list and with nothing else. Whether a
 * node is alive is read from its heartbeats, which do not change the version.
 */
export interface MemberStore {
  read(): Promise<StoredView>;
  /**
   * Makes the change if the version is still this one. False: another change came first. After an error, read the list
   * to find out.
   */
  change(version: number, change: MemberChange): Promise<boolean>;
  beat(incarnation: string, beat: number): Promise<void>;
  /** The last heartbeat of every incarnation. */
  beats(): Promise<ReadonlyMap<string, number>>;
}

export interface StoredView {
  readonly version: number;
  readonly members: readonly StoredMember[];
}

export interface StoredMember {
  readonly node: string;
  /** Identifies one start of the node and one membership in the list. */
  readonly incarnation: string;
  /** What the node says about itself; the store does not interpret it. */
  readonly info: string;
}

export type MemberChange =
  | { readonly type: "put"; readonly member: StoredMember }
  | { readonly type: "remove"; readonly member: StoredMember };

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
