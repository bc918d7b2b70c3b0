import { type DescMessage, type Registry, toJson } from "@bufbuild/protobuf";
import { didYouMean, limits, type Refusal, RefusalError, refuse, shortened } from "#base";
import { fromPlain, fromProtoJson } from "../contract/index.ts";
import { parseJson } from "../http/rest/json.ts";
import { plainDecoder } from "./wire/decode.ts";

/** Between bytes on the wire and plain messages. Reading never throws: who may not call is told that first. */
export interface MessageCodec {
  read(bytes: Uint8Array): unknown;
  write(plain: unknown): Uint8Array;
}

export function unreadableMessage(desc: DescMessage): Refusal {
  return refuse("INVALID_ARGUMENT", `the body is not a ${desc.typeName}`);
}

/** `paths`: those that there are. */
export function unknownMethod(path: string, paths: Iterable<string>): Refusal {
  const named = shortened(path, limits.fieldPathLengthMax);
  return refuse("UNIMPLEMENTED", `there is no method ${named}${didYouMean(path, paths)}`);
}

export function binaryReader(desc: DescMessage): MessageCodec["read"] {
  return readerOf(desc, plainDecoder(desc));
}

export function jsonReader(desc: DescMessage, registry: Registry): MessageCodec["read"] {
  return readerOf(desc, (bytes) => fromProtoJson(desc, parseJson(bytes), { jsonNames: true, registry }));
}

function readerOf(desc: DescMessage, decode: (bytes: Buffer) => unknown): MessageCodec["read"] {
  return (bytes) => {
    try {
      return decode(asBuffer(bytes));
    } catch (error) {
      return error instanceof RefusalError ? error : new RefusalError(unreadableMessage(desc));
    }
  };
}

export function jsonWriter(desc: DescMessage, registry: Registry): MessageCodec["write"] {
  return (plain) => Buffer.from(JSON.stringify(toJson(desc, fromPlain(desc, plain), { registry })));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
