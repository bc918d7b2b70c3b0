import { request as httpRequest } from "node:http";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import type { Outcome } from "./clients.ts";
import { requestOf, toldBy } from "./rest-client.ts";

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A request with raw bytes in both directions. Of an event stream only the beginning is looked at. */
export function sendRaw(
  port: number,
  verb: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Uint8Array | string,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port, method: verb, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        const answer = () => {
          const received = Object.entries(response.headers).map(
            ([name, value]) => [name, String(value)] as const,
          );
          resolve({
            status: response.statusCode ?? 0,
            headers: new Map(received),
            body: Buffer.concat(chunks),
          });
        };
        if (response.headers["content-type"]?.startsWith("text/event-stream")) {
          answer();
          request.destroy();
          return;
        }
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", answer);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

/** A stream of bytes over REST, with its messages in their RPC form. */
export async function callRaw(
  port: number,
  method: ContractMethod,
  messages: readonly unknown[],
  headers: Record<string, string> = {},
): Promise<Outcome> {
  const [named, ...pieces] = messages as Record<string, unknown>[];
  const { path, verb } = requestOf(method, named!);
  const isUpload = method.kind === "client_streaming";
  const body = isUpload
    ? Buffer.concat(pieces.map(({ data }) => Buffer.from(data as string, "base64")))
    : undefined;
  const type = isUpload
    ? { "content-type": "application/octet-stream", "content-length": String(body!.length) }
    : {};
  const answer = await sendRaw(port, verb, path, { ...type, ...headers }, body);
  const received = answer.headers;
  if (answer.status >= 400)
    return { ok: false, error: toldBy(JSON.parse(answer.body.toString())), headers: received };
  if (isUpload) return { ok: true, message: [JSON.parse(answer.body.toString()).data], headers: received };
  const size = answer.body.length;
  const digest = received.get("etag")!.replaceAll('"', "");
  const content_type = received.get("content-type")!;
  const message = { data: answer.body.toString("base64"), content_type, size, start: 0, end: size, digest };
  return { ok: true, message: [message], headers: received };
}
