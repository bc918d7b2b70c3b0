/** Large bodies by key. A put is durable when it resolves and never visible in part. */
export interface Objects {
  put(key: string, body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }>;
  /** `undefined` if there is no such object. `end` is exclusive. */
  get(key: string, range?: { start: number; end?: number }): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(key: string): Promise<void>;
}
