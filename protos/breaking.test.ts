import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type DescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import test from "ava";
import { contractBytes, packageRoot } from "./index.ts";

const [release] = readdirSync(join(packageRoot(), "protos/release"));

test("what the last release had and a change takes away is named", (t) => {
  t.is(
    breaking(() => {}),
    "",
  );
  t.regex(
    breaking((pool) => {
      pool.field = pool.field.filter(({ name }) => name !== "description");
    }),
    /field "3" with name "description" on message "Pool"/,
  );
  t.regex(
    breaking((pool) => {
      pool.field.find(({ name }) => name === "name")!.type = 12;
    }),
    /Field "2".*on message "Pool" changed type from "string" to "bytes"/,
  );
});

/** What `buf breaking` says of the contract with its Pool changed; empty when it has nothing to say. */
function breaking(change: (pool: DescriptorProto) => void): string {
  const set = fromBinary(FileDescriptorSetSchema, contractBytes());
  change(set.file.flatMap(({ messageType }) => messageType).find(({ name }) => name === "Pool")!);
  const folder = mkdtempSync(join(tmpdir(), "breaking-"));
  try {
    const changed = join(folder, "changed.binpb");
    writeFileSync(changed, toBinary(FileDescriptorSetSchema, set));
    const root = packageRoot();
    const against = ["--against", `protos/release/${release}`, "--config", "protos/buf.yaml"];
    execFileSync(join(root, "node_modules/.bin/buf"), ["breaking", changed, ...against], { cwd: root });
    return "";
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
