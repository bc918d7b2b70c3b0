import { writeFileSync } from "node:fs";
import { sampleExport } from "./manifest.ts";

writeFileSync(new URL("export.json", import.meta.url), `${JSON.stringify(sampleExport(), undefined, 1)}\n`);
