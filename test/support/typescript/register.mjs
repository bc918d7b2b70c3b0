/** Loads TypeScript in tests, from a cache: `node --import=./test/support/typescript/register.mjs --conditions=source file.ts`. */
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
process.setSourceMapsEnabled(true);
