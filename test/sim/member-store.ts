import { StorageError } from "#storage";
import type { MemberChange, MemberStore, StoredMember, StoredView } from "../../storage/index.ts";
import type { Faults } from "./faults.ts";
import type { Process } from "./process.ts";

/** The list of nodes and their heartbeats in one shared store. */
export class SimulatedMembers {
  version = 1;
  readonly members = new Map<string, StoredMember>();
  readonly beats = new Map<string, number>();
}

/** The store as seen by one process: slow, unreachable while it is cut off, and sometimes without an answer. */
export function membersOf(shared: SimulatedMembers, process: Process, faults: () => Faults): MemberStore {
  const reach = async <T>(label: string, act: () => T): Promise<T> => {
    const { latencyMs, appendUnknown, readUnavailable } = faults();
    await process.delay(process.cutMs + process.random.float() * latencyMs, label);
    if (process.random.chance(readUnavailable)) throw new StorageError("unavailable", "no answer");
    const result = act();
    await process.delay(process.cutMs + process.random.float() * latencyMs, label);
    if (process.random.chance(appendUnknown)) throw new StorageError("unavailable", "the answer is lost");
    return result;
  };
  return {
    read: () =>
      reach(
        "read members",
        (): StoredView => ({
          version: shared.version,
          members: [...shared.members.values()],
        }),
      ),
    change: (version, change) => reach("change members", () => apply(shared, version, change)),
    beat: (incarnation, beat) => reach("beat", () => void shared.beats.set(incarnation, beat)),
    beats: () => reach("read beats", () => new Map(shared.beats)),
  };
}

function apply(shared: SimulatedMembers, version: number, { type, member }: MemberChange): boolean {
  if (shared.version !== version) return false;
  shared.version++;
  if (type === "put") shared.members.set(member.node, member);
  else shared.members.delete(member.node);
  return true;
}
