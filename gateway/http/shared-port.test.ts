import test from "ava";
import { canSharePorts } from "./shared-port.ts";

test("ports are shared from Node 22.12 and 23.1 on, on Linux", (t) => {
  const versions = ["20.20.2", "22.11.0", "22.12.0", "22.20.1", "23.0.0", "23.1.0", "24.21.0", "26.10.0"];
  t.deepEqual(
    versions.filter((version) => canSharePorts(version, "linux")),
    ["22.12.0", "22.20.1", "23.1.0", "24.21.0", "26.10.0"],
  );
  t.false(canSharePorts("24.21.0", "darwin"));
});
