import { type DescField, type DescMethod, type FileRegistry, ScalarType } from "@bufbuild/protobuf";
import { fieldOptions, methodOptions } from "./options.ts";

/** What an absent wait means must be in the contract: the deadline of the call and its handler read it there. */
export function waitProblems(registry: FileRegistry, method: DescMethod): string[] {
  const { input } = method;
  const wait = methodOptions(registry, method).method?.wait;
  const named = input.fields.filter(({ name }) => name === "wait_ms" || name === "wait_seconds");
  if (wait === undefined)
    return method.methodKind === "unary"
      ? named.map(({ name }) => `has the field ${name} and no \`wait\``)
      : [];
  if (wait.field === undefined) return (wait.ms ?? 0) > 0 ? [] : ["wait has neither a field nor a length"];
  const field = input.fields.find(({ name }) => name === wait.field);
  if (field === undefined) return [`wait.field ${wait.field} is not in ${input.name}`];
  const problems: string[] = [];
  if (!/_(ms|seconds)$/.test(field.name)) problems.push(`wait.field ${field.name} has no unit`);
  if (fieldOptions(registry, field).defaultNumber === undefined)
    problems.push(`wait.field ${field.name} has no default_number`);
  return problems;
}

/** A default is filled in where the field is absent: that must be seen, and the default must be allowed. */
export function defaultProblems(registry: FileRegistry, fields: readonly DescField[]): string[] {
  return fields.flatMap((field) => {
    const { defaultNumber: value, rules = {} } = fieldOptions(registry, field);
    if (value === undefined) return [];
    const name = `${field.parent.name}.${field.name}`;
    if (field.scalar !== ScalarType.INT32 || !field.proto.proto3Optional)
      return [`${name}: has a default_number and is not an optional int32`];
    const { gte, lte } = (rules.int32 ?? {}) as { gte?: number; lte?: number };
    return value < (gte ?? value) || value > (lte ?? value)
      ? [`${name}: its default_number ${value} is out of its bounds`]
      : [];
  });
}
