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
