import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { zeroOf } from "./schema.ts";

/**
 * Completes an answer in place: a field without presence is always printed (`depth: 0`), an unset optional one never
 * (`undefined` is left out). So an entity may build its answer as it likes, and every door shows the same.
 */
export function fillDefaults(desc: DescMessage, plain: unknown): void {
  if (plain === null || typeof plain !== "object") return;
  const message = plain as Record<string, unknown>;
  for (const { name, zero, nested } of membersOf(desc)) {
    const value = message[name];
    if (value === undefined) {
      if (zero !== undefined) message[name] = zero();
    } else if (nested !== undefined) {
      nested(value);
    }
  }
}

interface Member {
  readonly name: string;
  readonly zero: (() => unknown) | undefined;
  readonly nested: ((value: unknown) => void) | undefined;
}

const compiled = new WeakMap<DescMessage, readonly Member[]>();

function membersOf(desc: DescMessage): readonly Member[] {
  let members = compiled.get(desc);
  if (members === undefined) {
    members = desc.fields.map(toMember);
    compiled.set(desc, members);
  }
  return members;
}

function toMember(field: DescField): Member {
  return { name: field.name, zero: zeroMaker(field), nested: nestedFiller(field) };
}

/** Lists and maps are made anew: an answer must not share them with the next one. */
function zeroMaker(field: DescField): (() => unknown) | undefined {
  if (field.fieldKind === "list") return () => [];
  if (field.fieldKind === "map") return () => ({});
  const zero = zeroOf(field);
  return zero === undefined ? undefined : () => zero;
}

function nestedFiller(field: DescField): ((value: unknown) => void) | undefined {
  const { message } = field;
  if (message === undefined || message.file.proto.package === "google.protobuf") return undefined;
  switch (field.fieldKind) {
    case "list":
      return (value) => {
        for (const item of value as readonly unknown[]) fillDefaults(message, item);
      };
    case "map":
      return (value) => {
        for (const item of Object.values(value as object)) fillDefaults(message, item);
      };
    default:
      return (value) => fillDefaults(message, value);
  }
}
