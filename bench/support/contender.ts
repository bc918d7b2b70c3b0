/** Runs one contender of one bench in this process and sends the stats to its parent. Started by run.ts. */
import type { Bench } from "./bench.ts";

const [file, contender] = process.argv.slice(2);
const { default: bench } = (await import(file!)) as { default: Bench };
const stats = await bench.contenders[contender!]!();
// A contender may leave threads and sockets open: the process ends once the stats are sent.
process.send?.(stats, () => process.exit(0));
