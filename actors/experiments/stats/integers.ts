/** Values as integers: value * 10^scale, rounded half to even from the shortest decimal of the double (ECMA-262, Number::toString). */
export function quantityOf(value: number, scale: number): bigint {
  const [mantissa = "0", exponent = "0"] = String(Math.abs(value)).split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  const digits = BigInt(whole + decimals);
  const power = Number(exponent) - decimals.length + scale;
  const quantity = power >= 0 ? digits * 10n ** BigInt(power) : halfEven(digits, 10n ** BigInt(-power));
  return value < 0 ? -quantity : quantity;
}

function halfEven(digits: bigint, by: bigint): bigint {
  const quotient = digits / by;
  const twice = (digits - quotient * by) * 2n;
  return twice > by || (twice === by && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** Quotients of integers as the nearest double: rounded once, half to even (IEEE 754-2019, 4.3.1). */
export function ratio(numerator: bigint, denominator: bigint): number {
  if (denominator === 0n) return Number.NaN;
  if (numerator === 0n) return 0;
  const negative = numerator < 0n !== denominator < 0n;
  const above = numerator < 0n ? -numerator : numerator;
  const below = denominator < 0n ? -denominator : denominator;
  // At least 66 bits of quotient; the last bit says whether anything is left, so that the conversion rounds as it should.
  const shift = Math.max(0, 66 - (bitsOf(above) - bitsOf(below)));
  const shifted = above << BigInt(shift);
  const quotient = shifted / below;
  const sticky = quotient * below === shifted ? quotient : quotient | 1n;
  const value = scaled(Number(sticky), shift);
  return negative ? -value : value;
}

function bitsOf(value: bigint): number {
  return value.toString(16).length * 4;
}

/** In two steps: a power of two below the least double would be 0. */
function scaled(value: number, shift: number): number {
  const half = Math.floor(shift / 2);
  return value * 2 ** -half * 2 ** -(shift - half);
}
