import { type DescMessage, type Registry, toJson } from "@bufbuild/protobuf";
import { limits, type Refusal, RefusalError, refuse, shortened } from "#base";
import { fromPlain, fromProtoJson } from "../contract/index.ts";
import { parseJson } from "../http/rest/json.ts";
import { plainDecoder } from "./wire/decode.ts";
import { plainEncoder } from "./wire/encode.ts";

/** Between bytes on the wire and plain messages. Reading never throws: who may not call is told that first. */
export interface MessageCodec {
  read(bytes: Uint8Array): unknown;
  write(plain: unknown): Uint8Array;
}

export function unreadableMessage(desc: DescMessage): Refusal {
  return refuse("INVALID_ARGUMENT", `the body is not a ${desc.typeName}`);
}

export function unknownMethod(path: string): Refusal {
  return refuse("UNIMPLEMENTED", `there is no method ${shortened(path, limits.fieldPathLengthMax)}`);
}

export function binaryReader(desc: DescMessage): MessageCodec["read"] {
  const decode = plainDecoder(desc);
  return (bytes) => {
    try {
      return decode(asBuffer(bytes));
    } catch (error) {
      return error instanceof RefusalError ? error : new RefusalError(unreadableMessage(desc));
    }
  };
}

export function binaryWriter(desc: DescMessage): (plain: unknown) => Buffer {
  return plainEncoder(desc);
}

export function jsonReader(desc: DescMessage, registry: Registry): MessageCodec["read"] {
  return (bytes) => {
    try {
      return fromProtoJson(desc, parseJson(asBuffer(bytes)), { jsonNames: true, registry });
    } catch (error) {
      if (error instanceof RefusalError) return error;
      return new RefusalError(unreadableMessage(desc));
    }
  };
}

export function jsonWriter(desc: DescMessage, registry: Registry): MessageCodec["write"] {
  return (plain) => Buffer.from(JSON.stringify(toJson(desc, fromPlain(desc, plain), { registry })));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
