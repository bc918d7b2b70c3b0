import { limits } from "#base";
import { mailboxOf, mailProblems } from "../mail-rules.ts";
import { type Dkim, type SmtpOutcome, SmtpPool, type SmtpServer } from "../smtp.ts";
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
    problems: mailProblems,
    async send({ key, to, subject, html, text, unsubscribeUrl }, settings, connection, signal) {
      const sender = textOf(settings.from) ?? textOf(connection?.config.from);
      if (sender === undefined) return refused("NO_SENDER", "metadata.from is needed");
      // Again, because the integration may have recased the names.
      const [problem] = mailProblems(settings);
      if (problem) return refused("BAD_HEADER", `${problem.field} ${problem.reason}`);
      if (/[\r\n\0]/.test(subject)) return refused("BAD_HEADER", "the subject has a line break");
      const from = mailboxOf(sender);
      if (!from) return refused("BAD_SENDER", "the sender is no mail address");
      const recipient = mailboxOf(to);
      if (!recipient)
        return { ...refused("BAD_ADDRESS", "the recipient is no mail address"), suppress: "invalid" };
      const replyTo = mailboxOf(textOf(settings.reply_to) ?? "");
      const mail = {
        from,
        to: [recipient],
        subject,
        text,
        ...(html !== undefined && { html }),
        ...(replyTo !== undefined && { replyTo }),
        headers: {
          ...(settings.headers as Record<string, string> | undefined),
          ...(unsubscribeUrl !== undefined && {
            "List-Unsubscribe": `<${unsubscribeUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
        },
        messageId: `<${key}@${from.address.split("@")[1]}>`,
      };
      const server = serverOf(connection!);
      if (server === undefined) return refused("NO_SERVER", "the connection needs host and port");
      return outcomeOf(await pool.send(server, mail, signal, dkimOf(connection!)));
    },
  };
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

/** 450 and the status 4.1.x and 4.2.x of RFC 3463 are about the mailbox; 421 ends the whole connection. */
function isOfAddress({ code, recipient, message }: Extract<SmtpOutcome, { type: "refused" }>): boolean {
  return code !== 421 && (recipient || code === 450 || /^\D*4\d\d[ -]4\.[12]\./.test(message));
}

function outcomeOf(sent: SmtpOutcome): SendOutcome {
  switch (sent.type) {
    case "accepted":
      return { type: "accepted", providerMessageId: sent.messageId };
    case "refused": {
      const { code, message, recipient, connecting } = sent;
      const about = { phase: "provider", message: shortened(message), providerStatus: code } as const;
      if (login.has(code)) return { type: "not_sent", ...about, code: "UNAUTHORIZED" };
      // Another integration may have a server that talks to us.
      if (code < 500 || connecting) {
        const ofAddress = isOfAddress(sent);
        return {
          type: "not_sent",
          ...about,
          code: "PROVIDER_ERROR",
          ...(ofAddress && { about: "endpoint" }),
        };
      }
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
