import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { imagePath, packageRoot } from "./image.ts";

/** `npm run contract:build`: lint the .proto files and write the descriptor set that the service reads. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buf(["lint", "protos"]);
  const target = join(packageRoot(), imagePath);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, buildImage());
}

/** The descriptor set of the contract and, where tests have their own .proto files, of their folders too. */
export function buildImage(...furtherFolders: readonly string[]): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  try {
    const output = join(folder, "image.binpb");
    const modules = ["protos", ...furtherFolders].map((path) => ({ path }));
    const config = JSON.stringify({ version: "v2", modules });
    buf(["build", ".", "--config", config, "--as-file-descriptor-set", "-o", output]);
    return withoutForeignComments(readFileSync(output));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs buf in the project's root; what it prints goes to our stderr, and a failure is an exception. */
export function buf(args: readonly string[]): void {
  const root = packageRoot();
  execFileSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: ["ignore", 2, 2] });
}

/** Comments of our own files become documentation; those of the vendored ones would be nine tenths of the image. */
function withoutForeignComments(image: Uint8Array): Uint8Array {
  const set = fromBinary(FileDescriptorSetSchema, image);
  for (const file of set.file) {
    if (!file.package.startsWith("service.")) delete file.sourceCodeInfo;
  }
  return toBinary(FileDescriptorSetSchema, set);
}
