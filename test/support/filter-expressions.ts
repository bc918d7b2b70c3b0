/**
 * Random expressions in CEL over the items of a queue, each with a function that says what it has to answer. The functions are
 * written from the language definition of CEL and share no code with the evaluator of the service.
 */

/** An item as the API shows it. */
export interface ShownItem {
  readonly id: string;
  readonly key: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly cost: number;
  readonly state: string;
  readonly attempts: number;
  readonly last_error?: { readonly type: string };
  readonly created_at: string;
}

class CelError extends Error {}

type Scalar = string | boolean | null | bigint | number;

interface Expression<Value> {
  readonly text: string;
  readonly value: (item: ShownItem) => Value;
}

export type Condition = Expression<boolean>;

/** An expression that fails does not match. */
export function holds({ value }: Condition, item: ShownItem): boolean {
  try {
    return value(item);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

export class Expressions {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  condition(depth: number): Condition {
    if (depth === 0 || this.#chance(0.2)) return this.#leaf();
    const [left, right] = [this.condition(depth - 1), this.condition(depth - 1)];
    switch (this.#int(4)) {
      case 0:
        return { text: `(${left.text} && ${right.text})`, value: (item) => both(left, right, item, false) };
      case 1:
        return { text: `(${left.text} || ${right.text})`, value: (item) => both(left, right, item, true) };
      case 2:
        return { text: `!(${left.text})`, value: (item) => !left.value(item) };
      default: {
        const other = this.condition(depth - 1);
        return {
          text: `(${left.text} ? ${right.text} : ${other.text})`,
          value: (item) => (left.value(item) ? right.value(item) : other.value(item)),
        };
      }
    }
  }

  #leaf(): Condition {
    switch (this.#int(8)) {
      case 0:
      case 1:
        return this.#comparison();
      case 2:
        return this.#equality();
      case 3:
        return this.#textTest();
      case 4:
        return this.#has();
      case 5:
        return this.#membership();
      case 6:
        return this.#time();
      default:
        return this.#exists();
    }
  }

  #comparison(): Condition {
    const [left, right] = [this.#number(2), this.#number(2)];
    const [sign, compare] = this.#pick([
      ["<", (a: number) => a < 0],
      ["<=", (a: number) => a <= 0],
      [">", (a: number) => a > 0],
      [">=", (a: number) => a >= 0],
    ] as const);
    return {
      text: `${left.text} ${sign} ${right.text}`,
      value: (item) => {
        const [a, b] = [left.value(item), right.value(item)];
        return compare(order(a, b));
      },
    };
  }

  #equality(): Condition {
    const [left, right] = [this.#any(), this.#any()];
    const isEqual = this.#chance(0.5);
    return {
      text: `${left.text} ${isEqual ? "==" : "!="} ${right.text}`,
      value: (item) => equal(left.value(item), right.value(item)) === isEqual,
    };
  }

  #textTest(): Condition {
    const text = this.#text();
    const part = this.#pick(["a", "c1", "", "b", "time"]);
    const name = this.#pick(["startsWith", "endsWith", "contains"] as const);
    const method = { startsWith: "startsWith", endsWith: "endsWith", contains: "includes" } as const;
    return {
      text: `${text.text}.${name}(${JSON.stringify(part)})`,
      value: (item) => textOf(text.value(item))[method[name]](part),
    };
  }

  #has(): Condition {
    const [holder, name] = this.#pick([
      ["payload", "n"],
      ["payload", "s"],
      ["payload", "list"],
      ["attributes", "customer"],
    ] as const);
    return {
      text: `has(item.${holder}.${name})`,
      value: (item) => Object.hasOwn(item[holder] ?? fail(), name),
    };
  }

  #membership(): Condition {
    const one = this.#any();
    const list = [this.#literal(), this.#literal(), this.#literal()];
    return {
      text: `${one.text} in [${list.map(({ text }) => text).join(", ")}]`,
      value: (item) => {
        const value = one.value(item);
        return list.some((element) => equal(element.value(item), value));
      },
    };
  }

  #time(): Condition {
    const ms = Date.UTC(2026, 0, 1) + this.#int(2_000) * 1_000;
    const sign = this.#pick(["<", ">=", "=="] as const);
    const given = new Date(ms).toISOString();
    return {
      text: `created_at ${sign} timestamp("${given}")`,
      value: ({ created_at }) => {
        const at = Date.parse(created_at);
        return sign === "<" ? at < ms : sign === ">=" ? at >= ms : at === ms;
      },
    };
  }

  #exists(): Condition {
    const more = this.#int(6);
    const name = this.#pick(["exists", "all"] as const);
    return {
      text: `item.payload.list.${name}(x, x > ${more})`,
      value: ({ payload }) => {
        const list = member(payload, "list");
        if (!Array.isArray(list)) throw new CelError();
        return name === "exists" ? list.some((x) => x > more) : list.every((x) => x > more);
      },
    };
  }

  #number(depth: number): Expression<Scalar> {
    if (depth === 0 || this.#chance(0.6)) return this.#plainNumber();
    const [left, right] = [this.#number(depth - 1), this.#number(depth - 1)];
    const sign = this.#pick(["+", "-", "*", "/", "%"] as const);
    return {
      text: `(${left.text} ${sign} ${right.text})`,
      value: (item) => calculate(sign, left.value(item), right.value(item)),
    };
  }

  #plainNumber(): Expression<Scalar> {
    const literal = this.#int(7);
    return this.#pick<Expression<Scalar>>([
      { text: `${literal}`, value: () => BigInt(literal) },
      { text: `${literal}.5`, value: () => literal + 0.5 },
      { text: "attempts", value: ({ attempts }) => BigInt(attempts) },
      { text: "item.priority", value: ({ priority }) => BigInt(priority) },
      { text: "item.cost", value: ({ cost }) => BigInt(cost) },
      { text: "item.payload.n", value: ({ payload }) => scalar(member(payload, "n")) },
      { text: "size(item.key)", value: ({ key }) => BigInt([...key].length) },
    ]);
  }

  #text(): Expression<Scalar> {
    return this.#pick<Expression<Scalar>>([
      { text: "item.key", value: ({ key }) => key },
      { text: "state", value: ({ state }) => state },
      { text: "error_type", value: ({ last_error }) => last_error?.type ?? "" },
      { text: "item.payload.s", value: ({ payload }) => scalar(member(payload, "s")) },
      { text: "item.attributes.customer", value: ({ attributes }) => scalar(member(attributes, "customer")) },
    ]);
  }

  #literal(): Expression<Scalar> {
    const value = this.#pick<Scalar>(["a", "ready", "c1", "timeout", 0n, 1n, 2n, 1.5, true, null]);
    const text = typeof value === "bigint" ? `${value}` : JSON.stringify(value);
    return { text, value: () => value };
  }

  #any(): Expression<Scalar> {
    return [() => this.#literal(), () => this.#text(), () => this.#number(1)][this.#int(3)]!();
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#int(values.length)]!;
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #chance(of: number): boolean {
    return this.#random() < of;
  }
}

/** One side that decides makes up for an error on the other, whichever comes first. */
function both(left: Condition, right: Condition, item: ShownItem, decisive: boolean): boolean {
  let failed: CelError | undefined;
  for (const side of [left, right])
    try {
      if (side.value(item) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failed = error;
    }
  if (failed) throw failed;
  return !decisive;
}

function member(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name)) throw new CelError();
  return (holder as Record<string, unknown>)[name];
}

/** A number of JSON is an int where it is whole. */
function scalar(value: unknown): Scalar {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  return value as Scalar;
}

function isNumber(value: Scalar): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

function order(a: Scalar, b: Scalar): number {
  const areTexts = typeof a === "string" && typeof b === "string";
  if (!areTexts && !(isNumber(a) && isNumber(b))) throw new CelError();
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}

/** Values of different types are different, numbers of different types are compared. */
function equal(a: Scalar, b: Scalar): boolean {
  return isNumber(a) && isNumber(b) ? order(a, b) === 0 : a === b;
}

function calculate(sign: "+" | "-" | "*" | "/" | "%", a: Scalar, b: Scalar): Scalar {
  if (typeof a === "bigint" && typeof b === "bigint") {
    if ((sign === "/" || sign === "%") && b === 0n) throw new CelError();
    return { "+": () => a + b, "-": () => a - b, "*": () => a * b, "/": () => a / b, "%": () => a % b }[
      sign
    ]();
  }
  if (sign === "+" && typeof a === "string" && typeof b === "string") return a + b;
  if (typeof a !== "number" || typeof b !== "number" || sign === "%") throw new CelError();
  return { "+": () => a + b, "-": () => a - b, "*": () => a * b, "/": () => a / b }[sign]();
}

function textOf(value: Scalar): string {
  if (typeof value !== "string") throw new CelError();
  return value;
}

function fail(): never {
  throw new CelError();
}
