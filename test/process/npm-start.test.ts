import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../support/eventually.ts";

const root = new URL("../..", import.meta.url).pathname;

test("SIGTERM to npm start stops the service, and npm exits with 0 after it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "npm-start-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // The start script without the build: other tests read dist while this one runs.
  const build = "node --version";
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start: scripts.start, build } }));
  symlinkSync(join(root, "dist"), join(folder, "dist"));
  const portsFile = join(folder, "ports.json");
  const args = ["start", "--", "--ephemeral", "--random-ports", "--ports-file", portsFile];
  const npm = spawn("npm", args, { cwd: folder, stdio: "ignore", detached: true });
  const ended = new Promise<number | null>((resolve) => {
    npm.on("exit", (code) => resolve(code));
  });
  // The service is in npm's process group, even if npm is gone and the service is not.
  t.teardown(() => {
    try {
      process.kill(-npm.pid!, "SIGKILL");
    } catch {
      // The process group is gone already.
    }
  });
  await eventually("the service has started", () => existsSync(portsFile) || undefined);
  const { http } = await eventually("its ports are written", () => {
    const text = readFileSync(portsFile, "utf8");
    return text === "" ? undefined : (JSON.parse(text) as { http: number });
  });
  t.is((await fetch(`http://127.0.0.1:${http}/health`)).status, 200);
  npm.kill("SIGTERM");
  t.is(await ended, 0);
  await t.throwsAsync(fetch(`http://127.0.0.1:${http}/health`), undefined, "the service has stopped");
});
