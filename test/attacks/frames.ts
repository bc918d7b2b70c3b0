/** HTTP/2 as bytes (RFC 9113, RFC 7541): a client library would obey the rules that attacks break. */
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { none: 0, endStream: 1, ack: 1, endHeaders: 4 } as const;

export function frame(
  type: keyof typeof types,
  options: { stream?: number; flags?: number; payload?: Uint8Array } = {},
): Buffer {
  const { stream = 0, payload = new Uint8Array(0) } = options;
  const bytes = Buffer.alloc(9 + payload.byteLength);
  bytes.writeUIntBE(payload.byteLength, 0, 3);
  bytes.writeUInt8(types[type], 3);
  bytes.writeUInt8(options.flags ?? 0, 4);
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

/** Settings by number: 1 header table size, 4 initial window size. */
export function settings(values: Readonly<Record<number, number>> = {}): Buffer {
  const entries = Object.entries(values).map(([id, value]) => {
    const entry = Buffer.alloc(6);
    entry.writeUInt16BE(Number(id), 0);
    entry.writeUInt32BE(value, 2);
    return entry;
  });
  return frame("settings", { payload: Buffer.concat(entries) });
}

/** The headers of a request in one frame. */
export function headers(stream: number, fields: Readonly<Record<string, string>>, ends: boolean): Buffer {
  const payload = block(fields);
  return frame("headers", { stream, flags: flags.endHeaders | (ends ? flags.endStream : 0), payload });
}

export function reset(stream: number): Buffer {
  return frame("reset", { stream, payload: Buffer.from([0, 0, 0, 8]) });
}

/** Literal fields that the receiver does not index, without Huffman codes. */
export function block(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  );
}

/** A field that the receiver puts into its dynamic table, with index 62. */
export function keptField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);
}

/** One byte that refers to the whole field that was indexed last. */
export const lastKeptField = Buffer.from([0x80 | 62]);

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([number(bytes.byteLength), bytes]);
}

/** An integer with a prefix of seven bits. */
function number(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push(128 | (rest & 127));
  bytes.push(rest);
  return Buffer.from(bytes);
}

export function grpcRequest(path: string): Record<string, string> {
  return {
    ":method": "POST",
    ":scheme": "http",
    ":path": path,
    ":authority": "localhost",
    "content-type": "application/grpc",
    te: "trailers",
  };
}

export function pageRequest(path: string): Record<string, string> {
  return { ":method": "GET", ":scheme": "http", ":path": path, ":authority": "localhost" };
}

/** The five-byte prefix of a gRPC message of `length` bytes. */
export function messageHead(length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** A message with string fields, each shorter than 16,384 bytes, by field number. */
export function textFields(fields: Readonly<Record<number, string>>): Buffer {
  const parts = Object.entries(fields).map(([field, value]) => {
    const { length } = value;
    return Buffer.concat([
      Buffer.from([(Number(field) << 3) | 2, (length & 127) | 128, length >> 7]),
      Buffer.from(value, "latin1"),
    ]);
  });
  return Buffer.concat(parts);
}
