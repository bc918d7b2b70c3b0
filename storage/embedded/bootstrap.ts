import type { EmbeddedBootstrap } from "../bootstrap.ts";
import { PortClient } from "../port.ts";
import type { Storage } from "../storage.ts";
import type { Control } from "./control.ts";
import { stopProcess } from "./durable.ts";
import { Fence } from "./fence.ts";
import { embeddedJournal } from "./journal.ts";
import { type OpenJournalFile, openJournalFile } from "./journal-file.ts";
import { JournalWriter } from "./journal-writer.ts";
import { folders } from "./layout.ts";
import { embeddedObjects } from "./objects.ts";
import { embeddedRoom } from "./room.ts";
import { Status } from "./status.ts";
import { embeddedTables } from "./tables.ts";
import type { TablesWriter } from "./writer-thread.ts";

/** Tests replace the file layer, and the way to stop the process. */
export interface AttachOptions {
  readonly openFile?: OpenJournalFile;
  readonly stop?: (reason: string) => void;
}

export function attachEmbedded(bootstrap: EmbeddedBootstrap, options: AttachOptions = {}): Storage {
  const { tables: tablesPath, objects } = folders(bootstrap.dir);
  const fence = new Fence(bootstrap.fence.base, bootstrap.fence.buffer);
  const status = new Status(bootstrap.status);
  const control = new PortClient<Control>(bootstrap.control);
  const tablesWriter = new PortClient<TablesWriter>(bootstrap.writer);
  const tables = embeddedTables(tablesPath, tablesWriter, status);
  const room = embeddedRoom(control, status);
  const seals = new Set<Promise<unknown>>();
  const writer = new JournalWriter({
    fence,
    status,
    openFile: options.openFile ?? openJournalFile,
    stop: options.stop ?? stopProcess,
    reserveReleased: () => room.released(),
    nextSegment: (starting) => control.call("segment", [starting]),
    sealed: (...segment) => {
      // If the message is lost, nothing is: the host then uses the heads of the shards.
      const told = control.call("sealed", segment).catch(() => undefined);
      seals.add(told);
      void told.then(() => seals.delete(told));
    },
  });
  return {
    journal: embeddedJournal(control, fence, writer, tables),
    tables,
    objects: embeddedObjects(objects),
    room,
    close: async () => {
      await writer.close();
      await Promise.all(seals);
      control.close();
      tablesWriter.close();
      await tables.close();
    },
  };
}
