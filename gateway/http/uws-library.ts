import type * as Uws from "uWebSockets.js";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { limits } from "#base";
import { uwsBinaries } from "./uws-binaries.ts";

const require = createRequire(import.meta.url);

/** Newest first. The newest needs Node 22 or later and glibc 2.38; the other is for Node 20, and for Node 22 on an older glibc. */
const builds = [require.resolve("uWebSockets.js"), require.resolve("uWebSockets.js-20.51")];

/**
 * uWebSockets.js reads this when it is loaded. Headers that arrive in several packets are held up to here, and it holds 4 KiB of
 * its own accord: a token we take would be refused wherever the network cuts it in two. Ours is smaller and answers with a
 * problem document; what is larger than this gets a page of uWebSockets.js.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(limits.headersHeldBytesMax);

/** uWebSockets.js, the newest build that runs here. Importing this file throws where there is none. */
export const uws: typeof Uws = load();

function load(): typeof Uws {
  const reasons: string[] = [];
  for (const build of builds) {
    try {
      checkBinary(build);
      return require(build) as typeof Uws;
    } catch (error) {
      reasons.push(lastLine(error));
    }
  }
  throw new Error(`no build of uWebSockets.js runs here (${reasons.join("; ")})`);
}

/** 10 ms for the 7 MB of a binary, once a thread. */
function checkBinary(build: string): void {
  const node = process.versions.node.split(".")[0];
  const platform = `@uwsjs/${process.platform}-${process.arch}-${node}`;
  const inBuild = createRequire(build);
  const { version } = inBuild(`${platform}/package.json`) as { version: string };
  const bytes = readFileSync(inBuild.resolve(`${platform}/uws.node`));
  if (createHash("sha256").update(bytes).digest("hex") !== uwsBinaries[`${platform}@${version}`])
    throw new Error(`the binary of ${platform}@${version} is not one of gateway/http/uws-binaries.ts`);
}

/** Errors of the loader list every module that asked, after the first line; uWebSockets.js puts its own words before the cause. */
function lastLine(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split("\nRequire stack:")[0]!;
  return lines.split("\n").at(-1)!;
}
