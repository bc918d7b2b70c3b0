import { Readable } from "node:stream";
import DKIM from "nodemailer/lib/dkim/index.js";
import SMTPPool from "nodemailer/lib/smtp-pool/index.js";
import SMTPTransport from "nodemailer/lib/smtp-transport/index.js";
import { limits } from "#base";
import type { Outgoing, OutgoingError } from "../../outgoing.ts";
import { composeMail } from "./mail-bytes.ts";
import type { Mailbox } from "./mail-rules.ts";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `starttls`: must be offered; `none`: in the clear. */
  readonly security: "tls" | "starttls" | "none";
  readonly user?: string;
  readonly password?: string;
  readonly timeoutMs: number;
  /** Trusted besides the system's own. */
  readonly ca?: string;
}

export interface Mail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly bcc?: readonly Mailbox[];
  readonly replyTo?: Mailbox;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly messageId?: string;
}

export interface Dkim {
  readonly domainName: string;
  readonly keySelector: string;
  /** PEM. */
  readonly privateKey: string;
}

export type SmtpOutcome =
  | {
      readonly type: "accepted";
      readonly messageId: string;
      readonly accepted: readonly string[];
      readonly rejected: readonly string[];
      readonly response: string;
    }
  /** The server has answered: 4xx may be tried again, 5xx not. */
  | {
      readonly type: "refused";
      readonly code: number;
      readonly message: string;
      /** It was about the address: RCPT TO. */
      readonly recipient: boolean;
      /** It was about the connection: the server was not asked to take a message. */
      readonly connecting: boolean;
    }
  /** Nothing of the message has left. */
  | { readonly type: "unsent"; readonly message: string; readonly denied: boolean }
  /** The message left, and no answer came. */
  | { readonly type: "unknown"; readonly message: string };

/** Sends one message over a connection of its own, through the egress guard. */
export async function sendMail(
  outgoing: Outgoing,
  server: SmtpServer,
  mail: Mail,
  signal?: AbortSignal,
): Promise<SmtpOutcome> {
  const transport = new SMTPTransport(optionsOf(outgoing, server, signal));
  try {
    return await sendOver(transport, mail);
  } finally {
    transport.close();
  }
}

/** Connections to servers that are used again. A message is handed over once: a lost connection sends it no second time. */
export class SmtpPool {
  readonly #outgoing: Outgoing;
  readonly #transports = new Map<string, Pooled>();

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
  }

  async send(server: SmtpServer, mail: Mail, signal: AbortSignal, dkim?: Dkim): Promise<SmtpOutcome> {
    if (signal.aborted) return { type: "unsent", message: "it was cancelled", denied: false };
    const pooled = this.#pooledFor(server);
    pooled.running++;
    clearTimeout(pooled.idle);
    try {
      return await sendOver(pooled.transport, mail, dkim, signal);
    } finally {
      if (--pooled.running === 0)
        pooled.idle = setTimeout(() => this.#close(pooled), limits.outgoingIdleMs).unref();
    }
  }

  #pooledFor(server: SmtpServer): Pooled {
    const key = JSON.stringify(server);
    const known = this.#transports.get(key);
    if (known) return known;
    const transport = new SMTPPool({
      ...optionsOf(this.#outgoing, server),
      maxConnections: limits.smtpConnectionsMax,
      // By default a message is sent again, up to five times, when its connection was lost in the middle of it.
      maxRequeues: 0,
    });
    const made: Pooled = { key, transport, running: 0, idle: undefined };
    this.#transports.set(key, made);
    return made;
  }

  #close({ key, transport }: Pooled): void {
    this.#transports.delete(key);
    transport.close();
  }
}

interface Pooled {
  readonly key: string;
  readonly transport: Transport;
  running: number;
  idle: NodeJS.Timeout | undefined;
}

type Transport = SMTPPool | SMTPTransport;
type Options = ConstructorParameters<typeof SMTPTransport>[0] & object;

function optionsOf(outgoing: Outgoing, server: SmtpServer, signal?: AbortSignal): Options {
  const { host, port, security, user, password, timeoutMs, ca } = server;
  return {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    getSocket: (_options: unknown, callback: (error: Error | null, socket?: object) => void) => {
      outgoing
        .connect({
          host,
          port,
          timeoutMs,
          ...(signal && { signal }),
          ...(security === "tls" && { tls: ca === undefined ? {} : { ca } }),
        })
        .then(
          (connection) => {
            signal?.addEventListener("abort", () => connection.destroy(), { once: true });
            callback(null, { connection, secured: security === "tls" });
          },
          (error: Error) => callback(error),
        );
    },
  } as Options;
}

async function sendOver(
  transport: Transport,
  mail: Mail,
  dkim?: Dkim,
  signal?: AbortSignal,
): Promise<SmtpOutcome> {
  const { from, to, cc = [], bcc = [] } = mail;
  // As mailboxes, not as the library would read them from the headers.
  const { envelope, messageId, bytes } = composeMail({
    ...mail,
    envelope: { from, to: [...to, ...cc, ...bcc] },
  });
  const raw = dkim ? await signed(bytes, dkim) : bytes;
  let left = false;
  // It is read when the server has said 354: from the first read on it may have been delivered.
  const content = new Readable({
    read() {
      left = true;
      this.push(raw);
      this.push(null);
    },
  });
  try {
    const sent = await unlessAborted(handOver(transport, { envelope, messageId, content }), signal);
    const { accepted, rejected, response } = sent;
    return { type: "accepted", messageId, accepted, rejected, response };
  } catch (error) {
    return failureOf(error as Error & { responseCode?: number; code?: string }, left);
  }
}

/**
 * To the transport itself. The library's mailer before it would build the message a second time, and pipe it into a buffer of its own
 * before the server is asked anything: then it would not be known whether it has left.
 */
function handOver(
  transport: Transport,
  { envelope, messageId, content }: { envelope: object; messageId: string; content: Readable },
): Promise<Sent> {
  const message = {
    getEnvelope: () => envelope,
    messageId: () => messageId,
    getHeader: () => messageId,
    createReadStream: () => content,
  };
  return new Promise((resolve, reject) => {
    transport.send({ data: {}, message } as never, (error, sent) => {
      if (error) reject(error);
      else resolve(sent as unknown as Sent);
    });
  });
}

/** A pooled connection serves others too: who does not want to wait leaves without closing it. */
function unlessAborted<T>(sending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return sending;
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Error("it was cancelled"));
    signal.addEventListener("abort", leave, { once: true });
    sending.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

/** RFC 8058 asks for a signature of both headers by which one unsubscribes; the library signs one of them by itself. */
const signedHeaders =
  "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post";

async function signed(raw: Buffer, dkim: Dkim): Promise<Buffer> {
  const parts: Buffer[] = [];
  const options = { ...dkim, headerFieldNames: signedHeaders };
  for await (const part of new DKIM(options).sign(raw) as AsyncIterable<Buffer>)
    parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

interface Sent {
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  readonly response: string;
}

const connecting: ReadonlySet<string> = new Set(["CONN", "EHLO", "HELO", "STARTTLS"]);

function failureOf(error: Error & { responseCode?: number; command?: string }, left: boolean): SmtpOutcome {
  const { responseCode, message, command } = error;
  if (responseCode !== undefined)
    return {
      type: "refused",
      code: responseCode,
      message,
      recipient: command === "RCPT TO",
      connecting: connecting.has(command ?? ""),
    };
  if (left) return { type: "unknown", message };
  const denied = (error as Partial<OutgoingError>).stage === "denied";
  return { type: "unsent", message, denied };
}
