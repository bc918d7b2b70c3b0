import { createServer, type IncomingMessage, type Server } from "node:http";
import { isFromTwilio } from "./signature.ts";

export interface AdapterOptions {
  /** Of the Twilio account. */
  readonly authToken: string;
  /** As Twilio calls it: `https://hooks.example.com/twilio`. It is signed, so it must be the same to the letter. */
  readonly publicUrl: string;
  /** Hands observations on: `POST /api/v2/notifications/observations` of the internal plane, with a service token. */
  readonly record: (observation: Observation) => Promise<void>;
}

export interface Observation {
  readonly delivery_id: string;
  readonly kind: "delivered" | "bounced" | "deferred";
  readonly provider_event_id: string;
  readonly adapter: "twilio";
  readonly detail: Readonly<Record<string, string | boolean>>;
}

/**
 * Takes the status callbacks of Twilio, checks that Twilio has signed them, and hands on what became of a message. Whoever is not Twilio
 * gets 403, and nothing is handed on. Integrations name it as `metadata.status_callback`; the provider adds `delivery_key`.
 */
export function twilioAdapter({ authToken, publicUrl, record }: AdapterOptions): Server {
  return createServer((request, response) => {
    const answer = (status: number) => void response.writeHead(status).end();
    formOf(request)
      .then(async (form) => {
        const { search, searchParams } = new URL(request.url ?? "/", publicUrl);
        const signature = String(request.headers["x-twilio-signature"] ?? "");
        if (!isFromTwilio(authToken, { url: publicUrl + search, form, signature })) return answer(403);
        const observation = observationOf(searchParams.get("delivery_key"), form);
        if (observation) await record(observation);
        answer(204);
      })
      // Twilio tries again later.
      .catch(() => answer(503));
  });
}

const kinds: Readonly<Record<string, Observation["kind"]>> = {
  delivered: "delivered",
  undelivered: "bounced",
  failed: "bounced",
};

/** Nothing of statuses on the way: `queued`, `sending`, `sent`. */
function observationOf(deliveryKey: string | null, form: URLSearchParams): Observation | undefined {
  const status = form.get("MessageStatus") ?? "";
  const kind = kinds[status];
  if (kind === undefined || deliveryKey === null) return undefined;
  const code = form.get("ErrorCode") ?? "";
  return {
    delivery_id: deliveryKey.split(".")[0]!,
    kind,
    // Twilio may call twice: the same event is recorded once.
    provider_event_id: `${form.get("MessageSid")}:${status}`,
    adapter: "twilio",
    detail: { status, ...(code !== "" && { code }) },
  };
}

const bytesMax = 64 * 1_024;

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error("the form is too large");
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString());
}
