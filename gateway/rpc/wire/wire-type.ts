import { ScalarType } from "@bufbuild/protobuf";

/** How a scalar stands on the wire: 0 a varint, 1 eight bytes, 2 with its length before it, 5 four bytes. */
export function wireTypeOf(type: ScalarType): number {
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return 1;
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return 2;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 5;
    default:
      return 0;
  }
}
