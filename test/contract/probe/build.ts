import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { buf } from "../../../protos/build.ts";
import { packageRoot } from "../../../protos/image.ts";

/** `node --import tsx --conditions=source test/contract/probe/build.ts` writes the committed descriptor set. */
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(fileURLToPath(new URL("probe.binpb", import.meta.url)), buildProbe());

/** Built beside a copy of the contract, whose options it uses; only the probe's own file is kept. */
export function buildProbe(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "probe-"));
  try {
    cpSync(join(packageRoot(), "protos"), folder, { recursive: true });
    cpSync(fileURLToPath(new URL("probe.proto", import.meta.url)), join(folder, "service/probe/probe.proto"));
    const output = join(folder, "probe.binpb");
    buf(["build", folder, "--as-file-descriptor-set", "--exclude-source-info", "-o", output]);
    const all = fromBinary(FileDescriptorSetSchema, readFileSync(output));
    const file = all.file.filter(({ name }) => name === "service/probe/probe.proto");
    return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
