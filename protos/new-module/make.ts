import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../image.ts";
import { casesOf, indexOf, recordOf, testOf } from "./code.ts";
import { contractOf } from "./contract.ts";
import { type Names, namesOf } from "./names.ts";

/** `npm run new-module -- api-key`: the files of a module that owns one resource; docs/modules.md goes on from there. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = namesOf(process.argv[2] ?? "");
  for (const file of writeModule(packageRoot(), names)) console.log(`made ${file}`);
  console.log(`next: in actors/index.ts, import { ${names.module} } from "./${names.folder}/index.ts"`);
  console.log(
    `      and put ${names.module} at the end of modules in makeModules; then docs/modules.md, step 2`,
  );
}

/** The paths of what was written. Nothing is written over. */
export function writeModule(root: string, names: Names): string[] {
  const files = filesOf(names);
  const taken = Object.keys(files).filter((file) => existsSync(join(root, file)));
  if (taken.length > 0) throw new Error(`${taken.join(", ")} is there already: nothing was written`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return Object.keys(files);
}

export function filesOf(names: Names): Readonly<Record<string, string>> {
  const { folder, snakeOne } = names;
  return {
    [`protos/service/api/${snakeOne}.proto`]: contractOf(names),
    [`actors/${folder}/index.ts`]: indexOf(names),
    [`actors/${folder}/record.ts`]: recordOf(names),
    [`actors/${folder}/${folder}.test.ts`]: testOf(names),
    [`test/contract/cases/${snakeOne.replaceAll("_", "-")}.ts`]: casesOf(names),
  };
}
