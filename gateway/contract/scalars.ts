import { ScalarType } from "@bufbuild/protobuf";

/** What a scalar of the contract is in a plain message, and in JSON. */
export interface Scalar {
  readonly type: ScalarType;
  readonly plain: "text" | "base64" | "boolean" | "number" | "integer";
  readonly zero: "" | false | 0;
  /** Of an integer. */
  readonly least?: number;
  readonly most?: number;
  /** 64 bits: protobuf-es has a bigint for it. */
  readonly wide: boolean;
}

export const scalars: Readonly<Record<ScalarType, Scalar>> = {
  [ScalarType.STRING]: { type: ScalarType.STRING, plain: "text", zero: "", wide: false },
  [ScalarType.BYTES]: { type: ScalarType.BYTES, plain: "base64", zero: "", wide: false },
  [ScalarType.BOOL]: { type: ScalarType.BOOL, plain: "boolean", zero: false, wide: false },
  [ScalarType.DOUBLE]: { type: ScalarType.DOUBLE, plain: "number", zero: 0, wide: false },
  [ScalarType.FLOAT]: { type: ScalarType.FLOAT, plain: "number", zero: 0, wide: false },
  [ScalarType.INT32]: signed(ScalarType.INT32),
  [ScalarType.SINT32]: signed(ScalarType.SINT32),
  [ScalarType.SFIXED32]: signed(ScalarType.SFIXED32),
  [ScalarType.UINT32]: unsigned(ScalarType.UINT32),
  [ScalarType.FIXED32]: unsigned(ScalarType.FIXED32),
  [ScalarType.INT64]: wideSigned(ScalarType.INT64),
  [ScalarType.SINT64]: wideSigned(ScalarType.SINT64),
  [ScalarType.SFIXED64]: wideSigned(ScalarType.SFIXED64),
  [ScalarType.UINT64]: wideUnsigned(ScalarType.UINT64),
  [ScalarType.FIXED64]: wideUnsigned(ScalarType.FIXED64),
};

function signed(type: ScalarType): Scalar {
  return { type, plain: "integer", zero: 0, least: -2_147_483_648, most: 2_147_483_647, wide: false };
}

function unsigned(type: ScalarType): Scalar {
  return { type, plain: "integer", zero: 0, least: 0, most: 4_294_967_295, wide: false };
}

/** A plain message has numbers: no larger ones than a double holds exactly. */
function wideSigned(type: ScalarType): Scalar {
  const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: most } = Number;
  return { type, plain: "integer", zero: 0, least, most, wide: true };
}

function wideUnsigned(type: ScalarType): Scalar {
  return { type, plain: "integer", zero: 0, least: 0, most: Number.MAX_SAFE_INTEGER, wide: true };
}
