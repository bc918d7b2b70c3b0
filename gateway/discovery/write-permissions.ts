import { writeFileSync } from "node:fs";
import { loadContract } from "../contract/index.ts";
import { permissionsMarkdown } from "./permissions-markdown.ts";

/** The last step of `npm run contract:build`. */
const file = new URL("../../docs/permissions.md", import.meta.url);
writeFileSync(file, permissionsMarkdown(loadContract()));
