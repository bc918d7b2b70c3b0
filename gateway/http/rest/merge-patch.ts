import type { DescMessage } from "@bufbuild/protobuf";
import { isObject, quotedPart } from "#base";
import { type FieldPlan, planOf } from "../../contract/index.ts";

/**
 * A merge patch as the RPC has it: the same message plus `update_mask`. Absent keeps, null resets (named in the mask,
 * not set), objects merge member by member; what has no members of its own is set whole.
 */
export function applyMergePatch(desc: DescMessage, body: Record<string, unknown>): void {
  const { fields, byName } = planOf(desc);
  if (!byName.has("update_mask")) return;
  const paths: string[] = [];
  for (const plan of fields) {
    if (!Object.hasOwn(body, plan.name) || notPatched.has(plan.name)) continue;
    collect(plan, body, plan.name, paths);
  }
  body.update_mask = paths;
}

/** A condition and the mask itself are not part of the resource. */
const notPatched = new Set(["record_version", "update_mask"]);

function collect(plan: FieldPlan, holder: Record<string, unknown>, path: string, paths: string[]): void {
  const value = holder[plan.name];
  if (value === null && !plan.acceptsNull) {
    delete holder[plan.name];
    paths.push(path);
    return;
  }
  if (!isObject(value)) {
    paths.push(path);
    return;
  }
  const { shape, element } = plan;
  if (shape === "map" || isStruct(plan)) collectKeys(value, path, paths);
  else if (shape === "single" && element.type === "message")
    collectFields(element.message, value, path, paths);
  else paths.push(path);
}

/**
 * An empty object merges nothing, and goes: without a path, what is set would be taken for the whole. An unknown member is
 * left for validation to name.
 */
function collectFields(
  desc: DescMessage,
  value: Record<string, unknown>,
  path: string,
  paths: string[],
): void {
  for (const plan of planOf(desc).fields) {
    const { name } = plan;
    if (!Object.hasOwn(value, name)) continue;
    const before = paths.length;
    collect(plan, value, `${path}.${name}`, paths);
    if (paths.length > before || !isEmpty(value[name])) continue;
    // One of several is chosen by being there.
    if (plan.field.oneof === undefined) delete value[name];
    else paths.push(`${path}.${name}`);
  }
}

/** Keys of a map or Struct; a key with other characters than a name has stands in backquotes, as AIP-161 writes them. */
function collectKeys(value: Record<string, unknown>, path: string, paths: string[]): void {
  for (const key of Object.keys(value)) {
    const keyPath = `${path}.${quotedPart(key)}`;
    const member = value[key];
    if (isObject(member)) {
      const before = paths.length;
      collectKeys(member, keyPath, paths);
      if (paths.length === before) delete value[key];
      continue;
    }
    paths.push(keyPath);
    if (member === null) delete value[key];
  }
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function isStruct({ shape, field }: FieldPlan): boolean {
  return shape === "single" && field.message?.typeName === "google.protobuf.Struct";
}
