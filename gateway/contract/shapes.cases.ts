import { buildContract } from "../../protos/build.ts";
import { type ContractMethod, loadContract } from "./index.ts";

/** A message with every shape a field can have, from the tests' own descriptor set. */
export function loadShapes(): ContractMethod {
  const contract = loadContract({
    extra: buildContract("test/protos/shapes").image,
    extraPackages: ["shapes"],
  });
  return contract.byName.get("ShapeService.Take")!;
}

export const inner = { name: "n", left: "l", needed: "x" };

export const shapes = {
  text: "é",
  flag: true,
  small: -3,
  large: Number.MIN_SAFE_INTEGER,
  natural: 4_294_967_295,
  natural_large: Number.MAX_SAFE_INTEGER,
  fraction: 0.5,
  data: "AAEC/w==",
  color: "COLOR_BLUE",
  maybe_text: "ab",
  maybe_large: 0,
  maybe_color: "COLOR_RED",
  texts: ["a", "b"],
  larges: [1, -2],
  colors: ["COLOR_RED", "COLOR_UNSPECIFIED"],
  inners: [inner, { name: "", right: 0, needed: "" }],
  larges_by_name: { a: 1 },
  inners_by_name: { "a b": inner },
  texts_by_number: { "-1": "minus" },
  inner,
  at: "2024-02-29T23:59:59.999Z",
  lasts: "-1.500s",
  mask: ["text", "inner.needed"],
  structure: { constructor: 1, deep: [null, { a: "b" }] },
  value: null,
  list: [1, "a", null],
  any: { type_url: "type.googleapis.com/shapes.Inner", value: "CgFu" },
  wrapped: 7,
  times: ["1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.001Z"],
  choice_large: 9,
  code: "AB",
};
