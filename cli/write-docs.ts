/** Writes the list of commands into docs/cli.md, below `## Commands`; a part of `npm run contract:build`. */
import { readFileSync, writeFileSync } from "node:fs";
import { commandsMarkdown } from "./help.ts";

const page = new URL("../docs/cli.md", import.meta.url);
const text = readFileSync(page, "utf8");
const heading = "## Commands\n";
writeFileSync(page, text.slice(0, text.indexOf(heading) + heading.length) + commandsMarkdown());
