import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** The committed descriptor set, as `npm run contract:build` wrote it. */
export function contractBytes(): Uint8Array {
  return readFileSync(join(packageRoot(), imagePath));
}

/** What is said above the definitions, by full name: for documents, and apart because only they need it. */
export function contractComments(): Record<string, string> {
  return JSON.parse(readFileSync(join(packageRoot(), commentsPath), "utf8"));
}

export const commentsPath = "protos/gen/comments.json";
export const typesPath = "protos/gen/messages.ts";
export const imagePath = "protos/gen/contract.binpb";

/** One registry over several descriptor sets; a file that is in two of them is taken from the first. */
export function loadRegistry(...images: readonly Uint8Array[]): FileRegistry {
  const files = new Map<string, FileDescriptorProto>();
  for (const image of images) {
    for (const file of fromBinary(FileDescriptorSetSchema, image).file) {
      if (!files.has(file.name)) files.set(file.name, file);
    }
  }
  return createFileRegistry({
    $typeName: "google.protobuf.FileDescriptorSet",
    file: [...files.values()],
  });
}

/** From source this file is in protos/, from the build output in dist/protos/: the image stays where it is. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, imagePath)) && !existsSync(join(folder, "protos/buf.yaml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${imagePath} is missing: run npm run contract:build`);
    folder = parent;
  }
  return folder;
}
