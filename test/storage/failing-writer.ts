/** A process whose disk fails at the fifth sync. Started by process.test.ts with a folder. */
import { startStorage } from "#storage";
import type { EmbeddedBootstrap } from "../../storage/bootstrap.ts";
import { attachEmbedded } from "../../storage/embedded/index.ts";
import { openJournalFile } from "../../storage/embedded/journal-file.ts";

const host = await startStorage({ engine: "embedded", dir: process.argv[2]! });
let writes = 0;
const { journal } = await attachEmbedded(host.bootstrap(0).data as EmbeddedBootstrap, {
  openFile: (path) => {
    const file = openJournalFile(path);
    return {
      ...file,
      write: (bytes, length, offset, done) => {
        if (++writes < 5) file.write(bytes, length, offset, done);
        else
          file.write(bytes, length, offset, () =>
            done(Object.assign(new Error("EIO: i/o error"), { code: "EIO" })),
          );
      },
    };
  },
});
const [owner] = await journal.open([1], 1);
for (let seq = 1; ; seq++) {
  await journal.append({ ...owner!, firstSeq: seq, entries: [Buffer.from(`v${seq}`)] });
  process.stdout.write(`ack 1 ${seq} v${seq}\n`);
}
