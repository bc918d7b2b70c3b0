import { limits } from "#base";
import { type Dkim, SmtpPool, type SmtpServer } from "../smtp.ts";
import type { JsonObject, OutboundConnection, Provider, SendOutcome } from "../types.ts";
import { refused, shortened, textOf } from "./http.ts";
import type { ProviderParts } from "./parts.ts";

/** Mail over the connection's server; the sender is `from` of the settings or of the connection. */
export function makeSmtp({ outgoing }: ProviderParts): Provider {
  const pool = new SmtpPool(outgoing);
  return {
    key: "smtp",
    channels: ["email"],
    keyed: false,
    connected: true,
    async send({ key, to, subject, html, text }, settings, connection, signal) {
      const from = textOf(settings.from) ?? textOf(connection?.config.from);
      if (from === undefined) return refused("NO_SENDER", "metadata.from is needed");
      const replyTo = textOf(settings.reply_to);
      const headers = headersOf(settings.headers);
      const lines = [from, to, subject, replyTo ?? "", ...Object.entries(headers).flat()];
      if (lines.some((line) => /[\r\n\0]/.test(line)))
        return refused("BAD_HEADER", "a header of the mail would have a line break");
      const mail = {
        from,
        to: [to],
        subject,
        text,
        ...(html !== undefined && { html }),
        ...(replyTo !== undefined && { replyTo }),
        headers,
        messageId: `<${key}@${from.split("@").at(-1)!.replace(/>.*$/, "")}>`,
      };
      const server = serverOf(connection!);
      if (server === undefined) return refused("NO_SERVER", "the connection needs host and port");
      return outcomeOf(await pool.send(server, mail, signal, dkimOf(connection!)));
    },
  };
}

function headersOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

function serverOf({ config, credential }: OutboundConnection): SmtpServer | undefined {
  const { host, port, security, ca } = config as JsonObject & Partial<SmtpServer>;
  if (typeof host !== "string" || typeof port !== "number") return undefined;
  const user = textOf(credential.username);
  return {
    host,
    port,
    security: security ?? "starttls",
    timeoutMs: limits.providerCallMs,
    ...(typeof ca === "string" && { ca }),
    ...(user !== undefined && { user, password: textOf(credential.password) ?? "" }),
  };
}

function dkimOf({ config, credential }: OutboundConnection): Dkim | undefined {
  const domainName = textOf(config.dkim_domain);
  const keySelector = textOf(config.dkim_selector);
  const privateKey = textOf(credential.dkim_private_key);
  if (domainName === undefined || keySelector === undefined || privateKey === undefined) return undefined;
  return { domainName, keySelector, privateKey };
}

/** Codes about who logs in: another integration may do. */
const login = new Set([530, 534, 535, 538]);

function outcomeOf(sent: Awaited<ReturnType<SmtpPool["send"]>>): SendOutcome {
  switch (sent.type) {
    case "accepted":
      return { type: "accepted", providerMessageId: sent.messageId };
    case "refused": {
      const { code, message, recipient, connecting } = sent;
      const about = { phase: "provider", message: shortened(message), providerStatus: code } as const;
      if (login.has(code)) return { type: "not_sent", ...about, code: "UNAUTHORIZED" };
      // Another integration may have a server that talks to us.
      if (code < 500 || connecting) return { type: "not_sent", ...about, code: "PROVIDER_ERROR" };
      return {
        type: "refused",
        ...about,
        code: "PROVIDER_REFUSED",
        ...(recipient && { suppress: "hard_bounce" }),
      };
    }
    case "unsent": {
      const code = sent.denied ? "EGRESS_DENIED" : "NETWORK";
      return { type: "not_sent", phase: "connect", code, message: shortened(sent.message) };
    }
    case "unknown":
      return { type: "maybe_sent", phase: "provider", code: "NETWORK", message: shortened(sent.message) };
  }
}
