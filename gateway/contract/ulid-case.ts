import type { DescField, DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { isUlid } from "#base";
import { fieldOptions } from "#protos";
import { type FieldPlan, planOf, replaceElements } from "./field-plan.ts";

/** Ids may be written in lower case; inside, they are upper case. */
export type UpperUlids = (message: unknown) => void;

/** Writes the ids of a message in upper case, in place; `undefined` where it has none. */
export function upperUlidsOf(registry: FileRegistry, desc: DescMessage): UpperUlids | undefined {
  return messageUpper(registry, desc, new Map());
}

export function upperUlid(text: string): string {
  const upper = text.toUpperCase();
  return isUlid(upper) ? upper : text;
}

type Known = Map<DescMessage, { run: UpperUlids | undefined }>;

function messageUpper(registry: FileRegistry, desc: DescMessage, known: Known): UpperUlids | undefined {
  const before = known.get(desc);
  // A message may contain itself: what it does is known by the time it is called.
  if (before !== undefined) return (message) => before.run?.(message);
  const own: { run: UpperUlids | undefined } = { run: undefined };
  known.set(desc, own);
  const members = planOf(desc).fields.flatMap((plan) => {
    const upper = elementUpper(registry, plan, known);
    return upper === undefined ? [] : [{ name: plan.name, shape: plan.shape, upper }];
  });
  if (members.length > 0)
    own.run = (message) => {
      if (typeof message !== "object" || message === null) return;
      const plain = message as Record<string, unknown>;
      for (const { name, shape, upper } of members)
        if (Object.hasOwn(plain, name)) plain[name] = replaceElements(shape, plain[name], upper);
    };
  return own.run;
}

function elementUpper(registry: FileRegistry, { field, element }: FieldPlan, known: Known) {
  if (element.type === "message") {
    const run = messageUpper(registry, element.message, known);
    if (run === undefined) return undefined;
    return (value: unknown) => {
      run(value);
      return value;
    };
  }
  if (!hasUlidRule(registry, field)) return undefined;
  return (value: unknown) => (typeof value === "string" ? upperUlid(value) : value);
}

interface UlidRules {
  readonly string?: { readonly ulid?: boolean };
  readonly repeated?: { readonly items?: UlidRules };
  readonly map?: { readonly values?: UlidRules };
}

function hasUlidRule(registry: FileRegistry, field: DescField): boolean {
  const { string, repeated, map } = (fieldOptions(registry, field).rules ?? {}) as UlidRules;
  const rules = string ?? repeated?.items?.string ?? map?.values?.string;
  return rules?.ulid === true;
}
