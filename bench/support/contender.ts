/** Runs one contender of one bench in this process and tells its parent the figures. Started by run.ts. */
import type { Bench } from "./bench.ts";

const [file, contender] = process.argv.slice(2);
const { default: bench } = (await import(file!)) as { default: Bench };
const figures = await bench.contenders[contender!]!();
// A contender may leave threads and sockets behind; the figures are what counts.
process.send?.(figures, () => process.exit(0));
