import {
  type CelEnv,
  type CelFunc,
  type CelList,
  type CelResult,
  type CelValue,
  celError,
  celList,
  isCelError,
  isCelList,
  isCelMap,
  isCelUint,
} from "@bufbuild/cel";
import { type Cost, costs } from "./cost.ts";
import { Equality } from "./equal.ts";
import type { Meter } from "./meter.ts";
import { codePointCount, indexOf, lastIndexOf, lowerAscii, split, upperAscii } from "./text.ts";
import { calendar } from "./time.ts";

type Functions = CelEnv["funcs"];
type Group = NonNullable<ReturnType<Functions["find"]>>;
/** `undefined`: not for these types; the library's function is asked. */
type Own = (values: readonly CelValue[], target: CelValue | undefined) => CelResult | undefined;

/** To make an error, and to look for an overload in vain before that. */
const errorSteps = 14;
/** Elements that are copied in one step, and keys of a map that are looked at. */
const copiedPerStep = 4;
/** A number or the name of a time zone is shorter. An int of 60,000 digits would take 18 ms to read. */
const numberLengthMax = 64;

/**
 * The functions of an environment, each charged for its work before it does it. Functions of the library whose work does not
 * follow from the size of what they are given are replaced. Those that begin with `@` are called by what `prepare` writes into
 * an expression.
 */
export function meteredFunctions(functions: Functions, meter: Meter): Functions {
  const own = ownFunctions(meter, functions.find("_==_")!.call.bind(functions.find("_==_")));
  const metered = new Map<string, Group>();
  for (const name of new Set([...Array.from(functions, ({ name }) => name), ...Object.keys(own)]))
    metered.set(name, watched(name, functions.find(name), own[name], meter));
  return Object.create(functions, { find: { value: (name: string) => metered.get(name) } }) as Functions;
}

function watched(name: string, group: Group | undefined, own: Own | undefined, meter: Meter): Group {
  const cost: Cost | undefined = costs[name];
  const call: Group["call"] = (id, target, values) => {
    if (cost !== undefined) meter.charge(cost(target, values));
    let result = own?.(values, target);
    // `null` is a value.
    if (result === undefined) result = group?.call(id, target, values);
    if (result === undefined || isCelError(result)) meter.charge(errorSteps);
    return result;
  };
  return {
    name,
    call,
    [Symbol.iterator]: () => (group ?? [])[Symbol.iterator]() as IterableIterator<CelFunc>,
  };
}

function ownFunctions(meter: Meter, scalars: CelFunc["call"]): Readonly<Record<string, Own>> {
  const equality = new Equality(meter, scalars);
  const grown = new WeakMap<CelList, CelValue[]>();
  return {
    "_==_": ([left, right]) => equality.equal(left!, right!),
    "_!=_": ([left, right]) => !equality.equal(left!, right!),

    /** Flat: the library nests one list in the other, and walks down to each element. */
    "_+_"([left, right]) {
      if (!isCelList(left) || !isCelList(right)) return undefined;
      meter.charge((left.size + right.size) / copiedPerStep);
      return celList([...left, ...right]);
    },

    "@in"([value, holder]) {
      if (isCelList(holder)) {
        for (let i = 0; i < holder.size; i++) {
          meter.charge(0.5);
          if (equality.equal(holder.get(i)!, value!)) return true;
        }
        return false;
      }
      return isCelMap(holder) && isKey(value) ? found(holder, value) !== undefined : undefined;
    },

    /** `has(map.field)`: true also where the value is null. */
    "@has": ([holder, field]) => isCelMap(holder) && holder.get(field as string) !== undefined,

    "@index"([holder, key]) {
      if (!isKey(key)) return celError("unsupported key type");
      if (isCelMap(holder)) {
        const value = found(holder, key);
        return value === undefined ? celError(`field not found: ${keyText(key)}`) : value;
      }
      if (!isCelList(holder)) return celError(`no element ${keyText(key)}: neither a list nor a map`);
      const index = typeof key === "string" ? -1 : Number(isCelUint(key) ? key.value : key);
      if (!Number.isInteger(index) || index < 0 || index >= holder.size)
        return celError(`index ${keyText(key)} out of bounds [0, ${holder.size})`);
      return holder.get(index);
    },

    /** What a loop goes over is copied before its first step. */
    "@range"([range]) {
      if (isCelList(range) || isCelMap(range)) meter.charge(range.size / copiedPerStep);
      return range;
    },

    /** Before each step of a loop; the second value is what a step takes by its parts. */
    "@tick"([condition, steps]) {
      meter.charge(steps as number);
      return condition;
    },

    /** Of `map` and `filter`, whose list is not seen before it is complete: one array that grows. */
    "@append"([list, value]) {
      const known = grown.get(list as CelList);
      if (known !== undefined) {
        known.push(value!);
        return list;
      }
      const elements = [value!];
      const begun = celList(elements);
      grown.set(begun, elements);
      return begun;
    },

    size(values, target) {
      const [text, more] = target === undefined ? values : [target, ...values];
      return typeof text === "string" && more === undefined ? BigInt(codePointCount(text)) : undefined;
    },
    lowerAscii: onText(0, (text) => lowerAscii(text)),
    upperAscii: onText(0, (text) => upperAscii(text)),
    contains: onText(1, (text, part) => indexOf(text, part) >= 0),
    indexOf: onText(2, (text, part, from) => place(text, from, (at) => indexOf(text, part, at))),
    lastIndexOf: onText(2, (text, part, from) => place(text, from, (at) => lastIndexOf(text, part, at))),
    split: onText(2, (text, separator, most = -1n) => {
      if (typeof most !== "bigint") return undefined;
      return celList(most === 1n ? [text] : split(text, separator, most < 0n ? Infinity : Number(most)));
    }),
    int: ([text]) => tooLong(text),
    uint: ([text]) => tooLong(text),
    ...Object.fromEntries(Array.from(calendar, (name): [string, Own] => [name, ([zone]) => tooLong(zone)])),
  };

  function found(map: CelValue & { get(key: Key): CelValue | undefined; size: number }, key: Key) {
    // A number that is not there is looked for among all keys: they may be of another type.
    if (typeof key !== "string" && typeof key !== "boolean") meter.charge(map.size / copiedPerStep);
    return map.get(key);
  }
}

/** A method of a text whose first value, if it takes any, is a text as well. */
function onText(
  most: number,
  method: (text: string, part: string, rest: CelValue | undefined) => CelResult | undefined,
): Own {
  return (values, target) => {
    const [part = "", rest] = values;
    if (typeof target !== "string" || typeof part !== "string" || values.length > most) return undefined;
    return values.length === 0 && most > 0 ? undefined : method(target, part, rest);
  };
}

/** Where a search begins; outside the text it is an error, which the library words. */
function place(
  text: string,
  from: CelValue | undefined,
  search: (from?: number) => number,
): bigint | undefined {
  if (from === undefined) return BigInt(search());
  if (typeof from !== "bigint" || from < 0n || from >= text.length) return undefined;
  return BigInt(search(Number(from)));
}

function tooLong(text: CelValue | undefined): CelResult | undefined {
  if (typeof text !== "string" || text.length <= numberLengthMax) return undefined;
  return celError(`a text of ${text.length} characters is too long for this`);
}

type Key = bigint | string | boolean | number | (CelValue & { value: bigint });

function isKey(value: CelValue | undefined): value is Key {
  return (value !== undefined && typeof value !== "object") || isCelUint(value);
}

function keyText(key: Key): string {
  return String(isCelUint(key) ? key.value : key).slice(0, 64);
}
