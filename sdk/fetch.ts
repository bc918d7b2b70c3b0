/** What the transport needs of `fetch`; that of the platform has more. */
export type Fetch = (url: string, init: FetchInit) => Promise<Answer>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  readonly redirect?: "manual";
  readonly body?: Bytes;
}

export type Bytes = string | Blob | Uint8Array<ArrayBuffer>;

export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  /** `opaqueredirect`: browsers tell no more of one that they did not follow. */
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): ChunkReader } | null;
  json(): Promise<unknown>;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface ChunkReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}
