/**
 * The nodes that share a store. The version rises by one with every change of the list and with nothing else; whether a
 * node lives is read from its heartbeats, which change no version.
 */
export interface MemberStore {
  read(): Promise<StoredView>;
  /** Makes the change if the version is still this one. False: another change was faster. An error: read to find out. */
  change(version: number, change: MemberChange): Promise<boolean>;
  beat(incarnation: string, beat: number): Promise<void>;
  /** The last beat of every incarnation. */
  beats(): Promise<ReadonlyMap<string, number>>;
}

export interface StoredView {
  readonly version: number;
  readonly members: readonly StoredMember[];
}

export interface StoredMember {
  readonly node: string;
  /** One start of the node, and one stay in the list. */
  readonly incarnation: string;
  /** What the node says of itself: bytes for the store. */
  readonly info: string;
}

export type MemberChange =
  | { readonly type: "put"; readonly member: StoredMember }
  | { readonly type: "remove"; readonly member: StoredMember };
