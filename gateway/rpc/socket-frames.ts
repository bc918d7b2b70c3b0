import { isObject, type Refusal, type RefusalError, refusalError } from "#base";
import { type ContractMethod, printerOf, writtenOnce } from "../contract/index.ts";
import { statusBytes } from "../errors/details.ts";
import { problemOf } from "../errors/problem.ts";
import { parseJson } from "../http/rest/json.ts";
import { binaryReader } from "./messages.ts";
import { plainEncoder } from "./wire/encode.ts";

/** What a client says. A message that cannot be read is its refusal. */
type ClientFrame =
  | { readonly type: "headers"; readonly headers: Readonly<Record<string, unknown>> }
  | { readonly type: "message"; readonly message: unknown }
  | { readonly type: "end" };

/** Frames of one subprotocol. `read` throws a RefusalError for what is no frame. */
export interface SocketFrames {
  read(data: Uint8Array, isBinary: boolean): ClientFrame;
  message(answer: unknown): string | Uint8Array;
  credit(messages: number): string | Uint8Array;
  end(): string | Uint8Array;
  error(refusal: Refusal, requestId: string): string | Uint8Array;
}

export function jsonFrames({ descriptor, sse }: ContractMethod, errorsUrl: string): SocketFrames {
  const print = printerOf(descriptor.output);
  const write = (answer: unknown) => `{"message":${print(answer)}}`;
  return {
    read(data, isBinary) {
      if (isBinary) throw unread("frames of service.v1.json are text");
      const frame = objectIn(parseJson(Buffer.from(data)));
      const [name, ...others] = Object.keys(frame);
      if (others.length === 0 && name === "headers")
        return { type: "headers", headers: objectIn(frame.headers) };
      if (others.length === 0 && name === "message") return { type: "message", message: frame.message };
      if (others.length === 0 && name === "end" && frame.end === true) return { type: "end" };
      throw unread('a frame is {"headers": {…}}, {"message": {…}} or {"end": true}');
    },
    message: sse === undefined ? write : writtenOnce(write),
    credit: (credit) => JSON.stringify({ credit }),
    end: () => '{"end":{}}',
    error: (refusal, requestId) => JSON.stringify({ error: problemOf(refusal, { errorsUrl, requestId }) }),
  };
}

export function binaryFrames({ descriptor, sse }: ContractMethod): SocketFrames {
  const read = binaryReader(descriptor.input);
  const encode = plainEncoder(descriptor.output);
  const write = (answer: unknown) => framed(kinds.message, encode(answer));
  return {
    read(data, isBinary) {
      if (!isBinary || data.byteLength === 0)
        throw unread("frames of service.v1.proto are binary, and begin with their kind");
      const body = Buffer.from(data.subarray(1));
      switch (data[0]) {
        case kinds.headers:
          return { type: "headers", headers: objectIn(parseJson(body)) };
        case kinds.message:
          return { type: "message", message: read(body) };
        case kinds.end:
          return { type: "end" };
        default:
          throw unread(`${data[0]} is no kind of frame: 0 headers, 1 message, 2 end`);
      }
    },
    message: sse === undefined ? write : writtenOnce(write),
    credit(credit) {
      const body = Buffer.alloc(4);
      body.writeUInt32BE(credit);
      return framed(kinds.credit, body);
    },
    end: () => framed(kinds.end, Buffer.alloc(0)),
    error: (refusal, requestId) => framed(kinds.error, statusBytes(refusal, requestId)),
  };
}

const kinds = { headers: 0, message: 1, end: 2, error: 3, credit: 4 } as const;

function framed(kind: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([kind]), body]);
}

function objectIn(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw unread("a frame is a JSON object");
  return value;
}

function unread(detail: string): RefusalError {
  return refusalError("INVALID_ARGUMENT", detail);
}
