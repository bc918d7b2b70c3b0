import { writeFileSync } from "node:fs";
import { loadContract } from "../contract/index.ts";
import { methodsMarkdown } from "./clients/methods-markdown.ts";
import { pythonFiles } from "./clients/python.ts";
import { typescriptClient } from "./clients/typescript.ts";
import { toolsJson } from "./mcp-tools.ts";
import { permissionsMarkdown } from "./permissions-markdown.ts";
import { runbookCodes, runbookMarkdown } from "./runbook-pages.ts";
import { surfaceJson } from "./surface.ts";

/** The last step of `npm run contract:build`. */
const contract = loadContract();
const write = (file: string, text: string) => writeFileSync(new URL(`../../${file}`, import.meta.url), text);
for (const code of runbookCodes) write(`docs/runbooks/${code}.md`, runbookMarkdown(code));
write("docs/permissions.md", permissionsMarkdown(contract));
const surface = surfaceJson(contract);
write("protos/gen/surface.json", surface);
write("sdk/generated.ts", typescriptClient(JSON.parse(surface)));
write("docs/sdk-methods.md", methodsMarkdown(JSON.parse(surface)));
write("protos/gen/mcp-tools.json", toolsJson(contract));
for (const [name, text] of Object.entries(pythonFiles(JSON.parse(surface))))
  write(`sdk-python/src/switchyard/${name}`, text);
