import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type DescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { commentsOf } from "./comments.ts";
import { commentsPath, imagePath, loadRegistry, packageRoot, typesPath } from "./image.ts";
import { messageTypes } from "./message-types.ts";

/** `npm run contract:build`: format and lint the .proto files and write what the service reads. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buf(["format", "protos", "--path", "protos/service", "-w"]);
  buf(["lint", "protos"]);
  const { image, comments, types } = buildContract();
  mkdirSync(join(packageRoot(), dirname(imagePath)), { recursive: true });
  writeFileSync(join(packageRoot(), imagePath), image);
  writeFileSync(join(packageRoot(), commentsPath), comments);
  writeFileSync(join(packageRoot(), typesPath), types);
}

export interface BuiltContract {
  /** A descriptor set without source positions: every thread of the service reads it at its start. */
  readonly image: Uint8Array;
  readonly comments: string;
  /** TypeScript: `message-types.ts`. */
  readonly types: string;
}

/** From the .proto files of the contract and, where tests have their own, of their folders too. */
export function buildContract(...furtherFolders: readonly string[]): BuiltContract {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  try {
    const output = join(folder, "image.binpb");
    const modules = ["protos", ...furtherFolders].map((path) => ({ path }));
    const config = JSON.stringify({ version: "v2", modules });
    buf(["build", ".", "--config", config, "--as-file-descriptor-set", "-o", output]);
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(output));
    const comments = `${JSON.stringify(commentsOf(set), null, 1)}\n`;
    for (const file of set.file) {
      delete file.sourceCodeInfo;
      if (file.package === "buf.validate") file.messageType.forEach(withoutExpressions);
    }
    const image = toBinary(FileDescriptorSetSchema, set);
    return { image, comments, types: messageTypes(loadRegistry(image), "service.api") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs buf in the project's root; what it prints goes to our stderr, and a failure is an exception. */
export function buf(args: readonly string[]): void {
  const root = packageRoot();
  execFileSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: ["ignore", 2, 2] });
}

/** Our validator reads the rules' values; the CEL text that defines each rule is half of the image, for nothing. */
function withoutExpressions(message: DescriptorProto): void {
  for (const { options } of message.field) delete options?.$unknown;
  message.nestedType.forEach(withoutExpressions);
}
