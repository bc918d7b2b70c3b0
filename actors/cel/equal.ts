import { type CelFunc, type CelList, type CelMap, type CelValue, isCelList, isCelMap } from "@bufbuild/cel";
import { comparedPerStep } from "./cost.ts";
import type { Meter } from "./meter.ts";

const stepsPerElement = 1;
const stepsPerEntry = 2;

/** Equality of CEL, charged value by value as it goes; `scalars` is the library's own, for what holds nothing. */
export class Equality {
  readonly #meter: Meter;
  readonly #scalars: CelFunc["call"];

  constructor(meter: Meter, scalars: CelFunc["call"]) {
    this.#meter = meter;
    this.#scalars = scalars;
  }

  equal(left: CelValue, right: CelValue): boolean {
    if (typeof left === "string" && typeof right === "string") {
      if (left.length !== right.length) return false;
      if (left.length > comparedPerStep) this.#meter.charge(left.length / comparedPerStep);
      return left === right;
    }
    if (left === right) return true;
    if (isCelList(left)) return isCelList(right) && this.#lists(left, right);
    if (isCelMap(left)) return isCelMap(right) && this.#maps(left, right);
    if (typeof left === typeof right && typeof left !== "object") return false;
    return this.#scalars(0, undefined, [left, right]) === true;
  }

  #lists(left: CelList, right: CelList): boolean {
    if (left.size !== right.size) return false;
    for (let i = 0; i < left.size; i++) {
      this.#meter.charge(stepsPerElement);
      if (!this.equal(left.get(i)!, right.get(i)!)) return false;
    }
    return true;
  }

  #maps(left: CelMap, right: CelMap): boolean {
    if (left.size !== right.size) return false;
    for (const [key, value] of left) {
      this.#meter.charge(stepsPerEntry);
      const other = right.get(key);
      if (other === undefined || !this.equal(value, other)) return false;
    }
    return true;
  }
}
