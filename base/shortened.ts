/** At most so long; what was cut ends in `…`. Never within a character: half of one cannot be written in a header or in protobuf. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
