import type { MessagePort } from "node:worker_threads";
import { PortClient } from "../port.ts";
import type { Storage } from "../storage.ts";
import type { ControlRequest, SegmentGrant } from "./control.ts";
import { stopProcess } from "./durable.ts";
import { Fence } from "./fence.ts";
import { EmbeddedJournal } from "./journal.ts";
import { type OpenJournalFile, openJournalFile } from "./journal-file.ts";
import { JournalWriter } from "./journal-writer.ts";
import { folders } from "./layout.ts";
import { EmbeddedObjects } from "./objects.ts";
import { EmbeddedRoom } from "./room.ts";
import { Status } from "./status.ts";
import { EmbeddedTables } from "./tables.ts";

/** What a worker gets from the host. */
export interface EmbeddedBootstrap {
  readonly engine: "embedded";
  readonly dir: string;
  readonly control: MessagePort;
  readonly writer: MessagePort;
  readonly fence: { readonly base: number; readonly buffer: SharedArrayBuffer };
  readonly status: SharedArrayBuffer;
}

/** Tests replace the file layer, and the way to stop the process. */
export interface AttachOptions {
  readonly openFile?: OpenJournalFile;
  readonly stop?: (reason: string) => void;
}

export async function attachEmbedded(data: unknown, options: AttachOptions = {}): Promise<Storage> {
  const bootstrap = data as EmbeddedBootstrap;
  const { tables: tablesPath, objects } = folders(bootstrap.dir);
  const fence = new Fence(bootstrap.fence.base, bootstrap.fence.buffer);
  const status = new Status(bootstrap.status);
  const control = new PortClient<ControlRequest>(bootstrap.control);
  const tablesWriter = new PortClient<ArrayBuffer>(bootstrap.writer);
  const tables = new EmbeddedTables(tablesPath, tablesWriter, status);
  const room = new EmbeddedRoom(control, status);
  const seals = new Set<Promise<unknown>>();
  const writer = new JournalWriter({
    fence,
    status,
    openFile: options.openFile ?? openJournalFile,
    stop: options.stop ?? stopProcess,
    reserveReleased: () => room.released(),
    nextSegment: (starting) => control.call<SegmentGrant>({ type: "segment", starting }),
    sealed: (file, end, lastSeqs) => {
      // If the message is lost, nothing is: the host then uses the heads of the shards.
      const told = control.call({ type: "sealed", file, end, lastSeqs }).catch(() => undefined);
      seals.add(told);
      void told.then(() => seals.delete(told));
    },
  });
  return {
    journal: new EmbeddedJournal(control, fence, writer, tables),
    tables,
    objects: new EmbeddedObjects(objects),
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
