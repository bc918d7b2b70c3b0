import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import type { Outgoing, OutgoingError } from "../../outgoing.ts";

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
  readonly from: string;
  readonly to: string | readonly string[];
  readonly cc?: string | readonly string[];
  readonly bcc?: string | readonly string[];
  readonly replyTo?: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly messageId?: string;
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
  | { readonly type: "refused"; readonly code: number; readonly message: string }
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
  const { host, port, security, user, password, timeoutMs, ca } = server;
  const composed = new MailComposer(mail as object).compile();
  const raw = await composed.build();
  let left = false;
  // The message is read when the server has said 354: from then on it may have been delivered.
  const content = new Readable({
    read() {
      left = true;
      this.push(raw);
      this.push(null);
    },
  });
  const transport = createTransport({
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
  } as Parameters<typeof createTransport>[0]);
  try {
    const message = { envelope: composed.getEnvelope(), raw: content } as Parameters<
      typeof transport.sendMail
    >[0];
    const sent = (await transport.sendMail(message)) as unknown as Sent;
    const messageId = composed.messageId();
    return {
      type: "accepted",
      messageId,
      accepted: sent.accepted,
      rejected: sent.rejected,
      response: sent.response,
    };
  } catch (error) {
    return failureOf(error as Error & { responseCode?: number; code?: string }, left);
  } finally {
    transport.close();
  }
}

interface Sent {
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  readonly response: string;
}

function failureOf(error: Error & { responseCode?: number }, left: boolean): SmtpOutcome {
  const { responseCode, message } = error;
  if (responseCode !== undefined) return { type: "refused", code: responseCode, message };
  if (left) return { type: "unknown", message };
  const denied = (error as Partial<OutgoingError>).stage === "denied";
  return { type: "unsent", message, denied };
}
