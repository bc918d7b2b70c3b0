import type { DescMessage } from "@bufbuild/protobuf";
import { planOf, type Shape } from "./field-plan.ts";

/**
 * Completes an answer in place: a field without presence is always printed (`depth: 0`), an unset optional one never
 * (`undefined` is left out). So an entity may build its answer as it likes, and every door shows the same.
 */
export function fillDefaults(desc: DescMessage, plain: unknown): void {
  if (plain === null || typeof plain !== "object") return;
  const message = plain as Record<string, unknown>;
  for (const { name, zero, shape, element } of planOf(desc).fields) {
    const value = message[name];
    if (value === undefined) {
      if (zero !== undefined) message[name] = zero();
    } else if (element.type === "message") fillElements(element.message, shape, value);
  }
}

function fillElements(desc: DescMessage, shape: Shape, value: unknown): void {
  switch (shape) {
    case "single":
      fillDefaults(desc, value);
      break;
    case "list":
      for (const item of value as readonly unknown[]) fillDefaults(desc, item);
      break;
    case "map":
      for (const item of Object.values(value as object)) fillDefaults(desc, item);
  }
}
