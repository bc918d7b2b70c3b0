import { StorageError } from "../error.ts";
import type { Journal } from "../journal.ts";
import type { PortClient } from "../port.ts";
import type { Tables } from "../tables.ts";
import type { Control } from "./control.ts";
import type { Fence } from "./fence.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { JournalReader } from "./reader.ts";

/** A worker's journal: appends go to its own segments; the host does everything else. */
export function embeddedJournal(
  control: PortClient<Control>,
  fence: Fence,
  writer: JournalWriter,
  tables: Tables,
): Journal {
  const reader = new JournalReader((shard) => control.call("files", [shard]), fence);
  const sendTrim = trimmer(control);
  return {
    // The membership view is not used: the folder's lock keeps other processes out.
    async open(shards) {
      const opened = await control.call("open", [shards]);
      for (const shard of opened) writer.opened(shard);
      reader.refresh();
      return opened;
    },
    append: (batch) => writer.append(batch),
    replay: (shard, after) => reader.replay(shard, after),
    async trim(shard, epoch, upTo) {
      if (!fence.holds(shard, epoch))
        throw new StorageError("fenced", `shard ${shard} has another owner than epoch ${epoch}`);
      // Entries that are not in the synced tables are kept, even if the caller asks to trim them.
      const stored = await tables.watermark(shard);
      await sendTrim(shard, Math.min(upTo, stored));
    },
  };
}

/** Sends the trims of one iteration of the event loop as one message. */
function trimmer(control: PortClient<Control>): (shard: number, upTo: number) => Promise<void> {
  let marks = new Map<number, number>();
  let sent: Promise<void>;
  return (shard, upTo) => {
    if (marks.size === 0)
      sent = new Promise((resolve) => {
        setImmediate(() => {
          const sending = [...marks];
          marks = new Map();
          resolve(control.call("trim", [sending]));
        });
      });
    marks.set(shard, upTo);
    return sent;
  };
}
