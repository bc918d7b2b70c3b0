/** `mcp.path` is never a path of another door. */
import test from "ava";
import { loadConfig } from "../../gateway/config/index.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { documentPaths } from "../../gateway/discovery/paths.ts";
import { operationsPaths } from "../../gateway/ops/paths.ts";
import { modules } from "../support/module-parts.ts";

const pathOf = (path: string) => loadConfig({ profile: "dev", environment: {}, set: [`mcp.path=${path}`] });

test("a path of its own is taken", (t) => {
  for (const path of ["/mcp", "/assistants/tools", "/a-b/c_d"]) t.is(pathOf(path).config["mcp.path"], path);
});

test("what is no path, or belongs to another door, is refused by name", (t) => {
  const others = [
    ...loadContract().methods.flatMap(({ rest }) => rest.map(({ template }) => template)),
    ...modules.flatMap(({ routes = [] }) => routes.map(({ path }) => path)),
    ...Object.values(documentPaths).flat(),
    ...Object.values(operationsPaths).flat(),
  ].map((path) => path.replace(/[{:].*/, "x"));
  for (const path of ["", "/", "mcp", "/mcp/", "//mcp", "/MCP", "/.well-known/x", "/mcp?x", ...others])
    t.throws(() => pathOf(path), { message: /mcp\.path/ }, path);
});
