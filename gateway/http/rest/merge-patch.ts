import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { quotedPart } from "#base";

/**
 * A merge patch as the RPC has it: the same message plus `update_mask`. Absent keeps, null resets (named in the mask,
 * not set), objects merge member by member; what has no members of its own is set whole.
 */
export function applyMergePatch(desc: DescMessage, body: Record<string, unknown>): void {
  if (!desc.fields.some((field) => field.name === "update_mask")) return;
  const paths: string[] = [];
  for (const field of desc.fields) {
    if (!Object.hasOwn(body, field.name) || notPatched.has(field.name)) continue;
    collect(field, body, field.name, paths);
  }
  body.update_mask = paths;
}

/** A condition and the mask itself are not part of the resource. */
const notPatched = new Set(["record_version", "update_mask"]);

function collect(field: DescField, holder: Record<string, unknown>, path: string, paths: string[]): void {
  const value = holder[field.name];
  if (value === null && !isValue(field)) {
    delete holder[field.name];
    paths.push(path);
    return;
  }
  if (!isObject(value)) {
    paths.push(path);
    return;
  }
  if (field.fieldKind === "map" || isStruct(field)) collectKeys(value, path, paths);
  else if (field.fieldKind === "message" && !isWellKnown(field))
    collectFields(field.message, value, path, paths);
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
  for (const field of desc.fields) {
    if (!Object.hasOwn(value, field.name)) continue;
    const before = paths.length;
    collect(field, value, `${path}.${field.name}`, paths);
    if (paths.length > before || !isEmpty(value[field.name])) continue;
    // One of several is chosen by being there.
    if (field.oneof === undefined) delete value[field.name];
    else paths.push(`${path}.${field.name}`);
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function isStruct(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Struct";
}

function isValue(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
}

function isWellKnown(field: DescField & { fieldKind: "message" }): boolean {
  return field.message.typeName.startsWith("google.protobuf.");
}
