import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "ava";
import { sourceArguments } from "../support/typescript/arguments.ts";

/** With this bug the second seed fails and the first does not, and only one of its faults is needed. */
const bug = "a time-out is taken for success";

for (const processes of ["1", "2"])
  test(`a failing seed is printed and shrunk, with ${processes} at a time`, async (t) => {
    const { code, stdout, stderr } = await sim("--seeds", "4", "--processes", processes, "--bug", bug);
    t.is(code, 1);
    const [first, left, violation] = stderr.split("\n");
    const again = `--scenario ledger --seed 2 --duration 2000 --bug "${bug}"`;
    t.is(first, `seed 2 breaks ledger: npm run sim -- ${again}`);
    t.regex(left!, /^still with only: .*appendUnknown/);
    t.true(left!.split(", ").length < 5, left);
    t.regex(violation!, /^ {2}position .* was acknowledged and is not what is stored$/);
    t.regex(stdout, /seeds 1 to 4: [12] passed/);
  });

test("a simulator process that dies: the error names its seed", async (t) => {
  const { code, stderr } = await sim("--seeds", "2", "--processes", "2", "--bug", "nobody knows it");
  t.is(code, 1);
  t.regex(stderr, /seed [12]: its simulator ended by itself: 1/);
});

function sim(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const run = fileURLToPath(new URL("./run.ts", import.meta.url));
  const always = [...sourceArguments, run, "--scenario", "ledger", "--duration", "2000"];
  return new Promise((resolve) => {
    execFile(process.execPath, [...always, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}
