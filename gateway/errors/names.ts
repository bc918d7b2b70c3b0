import type { DescMessage } from "@bufbuild/protobuf";
import type { Refusal } from "#base";
import { type FieldPlan, planOf } from "../contract/index.ts";

/** A refusal of a list, with the names that REST has for its page. */
export function withRestNames(refusal: Refusal): Refusal {
  const { detail, fields } = refusal;
  return {
    ...refusal,
    detail: restText(detail),
    ...(fields && {
      fields: fields.map(({ field, reason }) => ({ field: restText(field), reason: restText(reason) })),
    }),
  };
}

/** A refusal with the fields of this request spelled as ProtoJSON prints them: `config.leaseSeconds`. */
export function withJsonNames(desc: DescMessage, refusal: Refusal): Refusal {
  const { detail, fields } = refusal;
  const [first] = fields ?? [];
  if (fields === undefined || first === undefined) return refusal;
  const renamed = fields.map(({ field, reason }) => ({ field: jsonPathOf(desc, field), reason }));
  const named = first.field !== "" && detail.startsWith(`${first.field} `);
  return {
    ...refusal,
    fields: renamed,
    detail: named ? renamed[0]!.field + detail.slice(first.field.length) : detail,
  };
}

function restText(text: string): string {
  return text.replaceAll(/\bpage_(size|token)\b/g, (_, what) => (what === "size" ? "limit" : "cursor"));
}

/** Keys of maps and of JSON of the caller's own stay as they are. */
function jsonPathOf(desc: DescMessage, path: string): string {
  let message: DescMessage | undefined = desc;
  return path.replaceAll(/\[(?:"(?:[^"\\]|\\.)*"|\d+)\]|[^.[]+/g, (part) => {
    if (part.startsWith("[")) return part;
    const plan: FieldPlan | undefined = message && planOf(message).byName.get(part);
    message = plan?.element.type === "message" ? plan.element.message : undefined;
    return plan?.field.jsonName ?? part;
  });
}
