/** A WebSocket as every server has it. */
export interface DoorSocket {
  /** Text goes as a text frame, bytes as a binary one. */
  send(data: string | Uint8Array): void;
  /** Bytes that the client has not taken. */
  buffered(): number;
  ping(): void;
  close(code: number, reason: string): void;
  /** Without a word: its client is gone, or does not read. */
  terminate(): void;
}

/** What becomes of one socket. Told in order, `closed` last. */
export interface SocketSession {
  /** The bytes are the server's again when this returns. */
  received(data: Uint8Array, isBinary: boolean): void;
  /** The client has taken some of what was sent. */
  drained(): void;
  ponged(): void;
  closed(): void;
}

/** A request to upgrade that is taken. */
export interface Upgrade {
  /** The subprotocol; absent: the client offered none. */
  readonly protocol?: string;
  open(socket: DoorSocket): SocketSession;
}

/** Where the door is; servers look for upgrades nowhere else. */
export const socketPath = "/api/streams/";
