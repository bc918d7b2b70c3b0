/**
 * Short texts that went over a link lately, by a slot that follows from the text. The two ends keep the same: a text
 * that is not in its slot goes as it is and takes the slot. Tenants, kinds and methods come with every ask; that the
 * reader gets the same string again saves it from reading it, and those after it from hashing it.
 */
export type KnownTexts = (string | undefined)[];

const slotCount = 256;
const lengthMin = 3;
/** An id fits, a request's own id (36) does not: it never comes twice. */
const lengthMax = 32;

export function isKnownText(length: number): boolean {
  return length >= lengthMin && length <= lengthMax;
}

/** Ids differ at their ends, names anywhere. */
export function slotOf(text: string): number {
  const { length } = text;
  const hash =
    text.charCodeAt(length - 1) * 31 +
    text.charCodeAt(length - 2) * 131 +
    text.charCodeAt(length >> 1) * 17 +
    text.charCodeAt(0) * 7 +
    length * 3;
  return hash & (slotCount - 1);
}
