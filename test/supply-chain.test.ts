import { readFileSync } from "node:fs";
import test from "ava";

const root = new URL("../", import.meta.url);

interface Locked {
  readonly integrity?: string;
  /** To a package of our own, which the lock file has beside it. */
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}
const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8")) as {
  packages: Readonly<Record<string, Locked>>;
};

test("every package that Linux on x64 installs, with glibc or musl, has a SHA-512 in the lock file", (t) => {
  const packages = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.startsWith("node_modules/") && link !== true,
  );
  t.true(packages.length > 200);
  for (const [path, locked] of packages) {
    if (locked.integrity === undefined) t.true(isForOthers(locked), `${path} has no integrity`);
    else t.regex(locked.integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, path);
  }
});

test("every base image of the container has an exact version", (t) => {
  const dockerfile = readFileSync(new URL("Dockerfile", root), "utf8");
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!);
  t.true(images.length > 0);
  for (const image of images) t.regex(image, /^node:24\.\d+\.\d+-trixie-slim(@sha256:[0-9a-f]{64})?$/);
});

/** A package that npm leaves out on Linux x64. */
function isForOthers({ optional, os, cpu }: Locked): boolean {
  const excludes = (list: readonly string[] | undefined, ours: string) =>
    list !== undefined && !list.includes(ours);
  return optional === true && (excludes(os, "linux") || excludes(cpu, "x64"));
}
