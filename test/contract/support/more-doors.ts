import { connect } from "node:http2";
import { toBinary } from "@bufbuild/protobuf";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { type ContractMethod, fromPlain } from "../../../gateway/contract/index.ts";
import { type Door, type Outcome, refusedStatus, type StreamOptions, transportDoor } from "./clients.ts";
import { requestOf, toldBy } from "./rest-client.ts";
import type { TestService } from "./service.ts";

type Streaming = Door & Required<Pick<Door, "stream">>;

/** Protocols of HTTP on the servers on which `doorsOf` does not have them; of the last two, the end of a stream is all that is read. */
export function moreDoors({ ports }: Pick<TestService, "ports">): readonly Streaming[] {
  const node = { baseUrl: `http://127.0.0.1:${ports.node}`, httpVersion: "1.1" as const };
  const native = { baseUrl: `http://127.0.0.1:${ports.native}`, httpVersion: "2" as const };
  return [
    transportDoor("Connect JSON on node:http", createConnectTransport({ ...node, useBinaryFormat: false })),
    transportDoor("gRPC-Web on node:http", createGrpcWebTransport(node)),
    transportDoor("gRPC-Web on :50052", createGrpcWebTransport(native)),
    onlyStreams("gRPC-Web text", (...asked) => endOfText(ports.uws, ...asked)),
    onlyStreams("REST on :50052", (...asked) => endOverHttp2(ports.native, ...asked)),
  ];
}

function onlyStreams(name: string, stream: Streaming["stream"]): Streaming {
  const unary = () => Promise.reject(new Error(`${name} is for streams`));
  return { name, serves: () => false, unary, stream };
}

async function endOfText(
  port: number,
  { descriptor, path }: ContractMethod,
  messages: readonly unknown[],
  { headers = {} }: StreamOptions = {},
): Promise<Outcome> {
  const frames = messages.map((plain) => {
    const message = toBinary(descriptor.input, fromPlain(descriptor.input, plain));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
  });
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/grpc-web-text" },
    body: Buffer.concat(frames).toString("base64"),
  });
  const parts = (await answer.text()).match(/[^=]+/g) ?? [];
  const end = Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))).toString("latin1");
  const details = /grpc-status-details-bin: ?([A-Za-z0-9+/=]+)/.exec(end)?.[1];
  if (details === undefined) return { ok: true, message: [], headers: new Map() };
  return { ok: false, error: refusedStatus(Buffer.from(details, "base64")), headers: new Map() };
}

async function endOverHttp2(
  port: number,
  method: ContractMethod,
  [message]: readonly unknown[],
  { headers = {} }: StreamOptions = {},
): Promise<Outcome> {
  const { verb, path } = requestOf(method, message as Record<string, unknown>);
  const accept = method.sse === undefined ? {} : { accept: "text/event-stream" };
  const type = method.kind === "client_streaming" ? { "content-type": "application/octet-stream" } : {};
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    const stream = session.request({ ":method": verb, ":path": path, ...accept, ...type, ...headers });
    stream.end();
    let text = "";
    for await (const chunk of stream) text += String(chunk);
    const problem = /\{"type":.*\}/.exec(text)?.[0];
    if (problem === undefined) return { ok: true, message: [], headers: new Map() };
    return { ok: false, error: toldBy(JSON.parse(problem)), headers: new Map() };
  } finally {
    session.destroy();
  }
}
