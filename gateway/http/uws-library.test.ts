import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import test from "ava";
import { uwsBinaries } from "./uws-binaries.ts";

const root = new URL("../../", import.meta.url);

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity?: string }>>;
}
const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8")) as Lock;

test("every binary of uWebSockets.js that is installed here has the hash of the list", (t) => {
  const installed = Object.entries(lock.packages).filter(([path]) => isInstalledBinary(path));
  t.true(installed.length > 0);
  for (const [path, { version }] of installed) {
    const name = path.slice(path.lastIndexOf("@uwsjs/"));
    const bytes = readFileSync(new URL(`${path}/uws.node`, root));
    const listed = uwsBinaries[`${name}@${version}`];
    t.true(createHash("sha256").update(bytes).digest("hex") === listed, path);
  }
});

test("the list has the builds of the lock file for every Node version that is supported, and no others", (t) => {
  const locked = Object.entries(lock.packages)
    .filter(([path]) => /@uwsjs\/linux-x64-(20|22|24)$/.test(path))
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf("@uwsjs/"))}@${version}`);
  t.deepEqual(Object.keys(uwsBinaries).sort(), locked.sort());
});

function isInstalledBinary(path: string): boolean {
  if (!path.includes("@uwsjs/")) return false;
  try {
    return readdirSync(new URL(path, root)).includes("uws.node");
  } catch {
    return false;
  }
}
