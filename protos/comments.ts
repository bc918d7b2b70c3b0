import type { DescEnum, DescField, DescFile, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { createFileRegistry } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";

type Commented = DescMessage | DescField | DescEnum | DescService | DescMethod;

/** The comments above the definitions of our own .proto files, by full name, each as one text. */
export function commentsOf(set: FileDescriptorSet): Record<string, string> {
  const comments: Record<string, string> = {};
  for (const file of createFileRegistry(set).files) {
    if (!file.proto.package.startsWith("service.")) continue;
    const byPath = commentsByPath(file);
    for (const desc of definitionsOf(file)) {
      const comment = byPath.get(pathOf(desc).join("."));
      if (comment !== undefined) comments[commentName(desc)] = comment;
    }
  }
  return comments;
}

/** `service.api.Pool`, `service.api.Pool.name`, `service.api.PoolService.GetPool` */
export function commentName(desc: Commented): string {
  return desc.kind === "rpc" || desc.kind === "field"
    ? `${desc.parent.typeName}.${desc.name}`
    : desc.typeName;
}

function definitionsOf(file: DescFile): Commented[] {
  const definitions: Commented[] = [];
  for (const type of nestedTypes(file)) {
    if (type.kind === "extension") continue;
    definitions.push(type);
    if (type.kind === "message") definitions.push(...type.fields);
    if (type.kind === "service") definitions.push(...type.methods);
  }
  return definitions;
}

function commentsByPath(file: DescFile): ReadonlyMap<string, string> {
  return new Map(
    (file.proto.sourceCodeInfo?.location ?? [])
      .filter((location) => location.leadingComments !== "")
      .map((location) => [location.path.join("."), unwrapped(location.leadingComments)]),
  );
}

/** Lines of one paragraph belong together; an empty line separates paragraphs. */
function unwrapped(comment: string): string {
  return comment
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .split("\n")
        .map((line) => line.trim())
        .join(" ")
        .trim(),
    )
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/** Field numbers of descriptor.proto lead from the file to the definition. */
function pathOf(desc: Commented): number[] {
  switch (desc.kind) {
    case "service":
      return [6, desc.file.proto.service.indexOf(desc.proto)];
    case "rpc":
      return [...pathOf(desc.parent), 2, desc.parent.proto.method.indexOf(desc.proto)];
    case "field":
      return [...pathOf(desc.parent), 2, desc.parent.proto.field.indexOf(desc.proto)];
    case "message":
      return desc.parent === undefined
        ? [4, desc.file.proto.messageType.indexOf(desc.proto)]
        : [...pathOf(desc.parent), 3, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case "enum":
      return desc.parent === undefined
        ? [5, desc.file.proto.enumType.indexOf(desc.proto)]
        : [...pathOf(desc.parent), 4, desc.parent.proto.enumType.indexOf(desc.proto)];
  }
}
