import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buf, buildContract } from "./build.ts";
import { commentsPath, contractBytes, loadRegistry, packageRoot, typesPath } from "./image.ts";
import { contractProblems } from "./problems.ts";

/**
 * `npm run contract:check`: the .proto files are sound, the committed descriptor set is what they give, and nothing a
 * released client relies on was taken away.
 */
buf(["lint", "protos"]);
buf(["format", "protos", "--path", "protos/service", "--diff", "--exit-code"]);

const { image, comments, types } = buildContract();
const problems = contractProblems(loadRegistry(image), ["service.api"]);
const written = (path: string) => readFileSync(join(packageRoot(), path), "utf8");
const sameImage = Buffer.compare(image, contractBytes()) === 0;
if (!sameImage || written(commentsPath) !== comments || written(typesPath) !== types) {
  problems.push("protos/gen is stale: run npm run contract:build and commit it");
}
for (const problem of problems) console.error(problem);

const releases = join(packageRoot(), "protos/release");
const released = existsSync(releases) ? readdirSync(releases).filter((name) => name.endsWith(".binpb")) : [];
if (released.length === 0) problems.push("protos/release holds no image to compare with");
for (const name of released) buf(["breaking", "protos", "--against", `protos/release/${name}`]);

if (problems.length > 0) process.exit(1);
console.log(`contract: sound, up to date, and compatible with ${released.join(", ")}`);
