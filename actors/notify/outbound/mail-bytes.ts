import * as base64 from "nodemailer/lib/base64/index.js";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import type MimeNode from "nodemailer/lib/mime-node/index.js";
import * as quotedPrintable from "nodemailer/lib/qp/index.js";

/** A mail of texts, without attachments, as it is sent. */
export interface ComposedMail {
  readonly envelope: ReturnType<MimeNode["getEnvelope"]>;
  readonly messageId: string;
  readonly bytes: Buffer;
}

/**
 * The library builds the tree and the headers. It would put out each part of the tree through several streams; all parts are texts that
 * are here already, and joining them takes a fraction of that time.
 */
export function composeMail(mail: object): ComposedMail {
  const root = new MailComposer(mail).compile();
  const text = textOf(root);
  return {
    envelope: root.getEnvelope(),
    messageId: root.messageId(),
    bytes: Buffer.from(text.endsWith("\n") ? text : `${text}\r\n`),
  };
}

function textOf(node: MimeNode): string {
  // Headers first: they decide on the boundary.
  const head = `${node.buildHeaders()}\r\n\r\n`;
  const body = node.content === undefined ? "" : encoded(node, node.content as string);
  if (!node.multipart) return head + body;
  const parts = node.childNodes.map((child) => `--${node.boundary}\r\n${textOf(child)}`);
  return `${head}${body}${parts.join("\r\n")}\r\n--${node.boundary}--\r\n`;
}

function encoded(node: MimeNode, content: string): string {
  switch (node.getTransferEncoding()) {
    case "quoted-printable":
      return quotedPrintable.wrap(quotedPrintable.encode(content));
    case "base64":
      return base64.wrap(base64.encode(content));
    default:
      return content;
  }
}
