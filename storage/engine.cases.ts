import type { Storage } from "#storage";

/** What a shared suite needs of an engine. All cases may run on one engine: each uses its own shards and keys. */
interface EngineUnderTest {
  /** Another handle on the same data, as another thread or process would have. */
  attach(): Promise<Storage>;
  /** A shard number that no other case uses. */
  newShard(): number;
  close(): Promise<void>;
}

export type MakeEngine = () => Promise<EngineUnderTest>;

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}

export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("utf8");
}
