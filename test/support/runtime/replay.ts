import { decodeTuple } from "#base";
import type { Address, AnyActorDefinition } from "../../../runtime/actor.ts";
import { Fifo } from "../../../runtime/fifo.ts";
import { Kinds } from "../../../runtime/placement.ts";
import { Cell, type Entity } from "../../../runtime/shard/cell.ts";
import { decodeEntry } from "../../../runtime/shard/entry.ts";
import { Recorder } from "../../../runtime/shard/recorder.ts";
import { Waiting } from "../../../runtime/shard/waiting.ts";

/** Rows by partition and key, both as text; only those of modules. */
export type RowImage = Map<string, Map<string, Uint8Array>>;

/**
 * Runs `apply` over a whole journal, starting empty, and returns the resulting rows. Recovery never does that; it
 * proves that the journal alone determines every row.
 */
export function replayApply(
  definitions: readonly AnyActorDefinition[],
  journal: Iterable<Uint8Array>,
): RowImage {
  const kinds = new Kinds(definitions);
  const cells = new Map<string, Cell>();
  const image: RowImage = new Map();
  const recorder = new Recorder({});
  let seq = 0;
  for (const stored of journal) {
    const entry = decodeEntry(stored);
    recorder.begin(entry.now, ++seq);
    const changed = new Set<Entity>();
    for (const { kind, events } of entry.steps) {
      const entity = entityOf(kinds, cells, { ...entry.address!, kind });
      for (const event of events) entity.definition.apply(entity.state, event, recorder.for(entity));
      changed.add(entity);
    }
    for (const entity of [...changed].sort((a, b) => order(a) - order(b)))
      entity.definition.beforeCommit?.(entity.state, recorder.for(entity));
    const recorded = recorder.end(entry);
    for (const change of recorder.changes) {
      if (!isModules(change.partition.text)) continue;
      let rows = image.get(change.partition.text);
      if (rows === undefined) {
        rows = new Map();
        image.set(change.partition.text, rows);
      }
      if (change.type === "range") {
        for (const key of [...rows.keys()])
          if (key >= change.from && (change.to === undefined || key < change.to)) rows.delete(key);
      } else if (change.end === 0) rows.delete(change.key);
      else {
        const { bytes, start } = recorded;
        rows.set(change.key, bytes.subarray(start + change.start, start + change.end));
      }
    }
  }
  for (const [partition, rows] of image) if (rows.size === 0) image.delete(partition);
  return image;
}

/** As the runtime does before a commit. */
function order(entity: Entity): number {
  return entity.cell.entities.indexOf(entity);
}

/** A partition of a module's own collection, not of the runtime. */
export function isModules(partition: string): boolean {
  const parts = decodeTuple(partition);
  return !String(parts[0]).startsWith("~") && !String(parts.at(-1)).startsWith("~");
}

function entityOf(kinds: Kinds, cells: Map<string, Cell>, address: Address): Entity {
  const { family } = kinds.get(address.kind)!;
  const id = `${family[0]!.kind}\0${address.tenant}\0${address.key}`;
  let cell = cells.get(id);
  if (cell === undefined) {
    const share = {
      tenant: address.tenant,
      depth: 0,
      bytes: 0,
      waiting: new Waiting(),
      cells: 1,
      ready: new Fifo<Cell>(),
    };
    cell = new Cell(undefined as never, 0, address, { family, share });
    for (const entity of cell.entities) entity.state = entity.definition.empty(entity.address);
    cells.set(id, cell);
  }
  return cell.entity(address.kind)!;
}
