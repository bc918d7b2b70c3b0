import type { DescEnum, DescField, DescFile, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

type Commented = DescMessage | DescField | DescEnum | DescService | DescMethod;

/** The comment above a definition in its .proto file, as one text; empty where there is none. */
export function commentOf(desc: Commented): string {
  const file = desc.kind === "rpc" || desc.kind === "field" ? desc.parent.file : desc.file;
  return commentsOf(file).get(pathOf(desc).join(".")) ?? "";
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0].replace(/[.]$/, "") ?? text;
}

const cache = new WeakMap<DescFile, ReadonlyMap<string, string>>();

function commentsOf(file: DescFile): ReadonlyMap<string, string> {
  let comments = cache.get(file);
  if (comments === undefined) {
    comments = new Map(
      (file.proto.sourceCodeInfo?.location ?? [])
        .filter((location) => location.leadingComments !== "")
        .map((location) => [location.path.join("."), unwrapped(location.leadingComments)]),
    );
    cache.set(file, comments);
  }
  return comments;
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
