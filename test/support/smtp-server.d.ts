/** The part of the package that tests use. */
declare module "smtp-server" {
  import type { EventEmitter } from "node:events";
  import type { Server } from "node:net";
  import type { Readable } from "node:stream";

  interface SMTPSession {
    readonly envelope: { readonly rcptTo: readonly { readonly address: string }[] };
  }

  interface SMTPConnection {
    readonly session: SMTPSession;
    readonly _socket: { destroy(): void };
    close(): void;
  }

  export interface SMTPServerOptions {
    readonly [option: string]: unknown;
    readonly onAuth?: (
      auth: { username: string; password: string },
      session: unknown,
      done: (error: Error | null, answer?: object) => void,
    ) => void;
    readonly onData?: (stream: Readable, session: SMTPSession, done: (error?: Error) => void) => void;
  }

  export class SMTPServer extends EventEmitter {
    constructor(options: SMTPServerOptions);
    readonly server: Server;
    readonly connections: Set<SMTPConnection>;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
  }
}
