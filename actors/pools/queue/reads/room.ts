import { exclusionOf, mismatch } from "../../eligibility.ts";
import type { RouterView } from "../../router.ts";
import type { State } from "../state.ts";

/** What the recipients of one eligibility class can take. */
interface Room {
  /** There is a recipient that its rules, labels and skills allow. */
  readonly matching: boolean;
  /** The largest cost that one of them could take with nothing else to do, on duty or not. */
  readonly ever: number;
  /** The largest cost that one of them has room for. */
  readonly now: number;
}

/** For all items of one answer: a pool's recipients are looked through once for each class, not for each item. */
export class Rooms {
  readonly #state: State;
  readonly #router: RouterView;
  readonly #now: number;
  readonly #byClass = new Map<number, Room>();

  constructor(state: State, router: RouterView, now: number) {
    this.#state = state;
    this.#router = router;
    this.#now = now;
  }

  of(classNo: number): Room {
    let room = this.#byClass.get(classNo);
    if (room === undefined) {
      room = this.#look(classNo);
      this.#byClass.set(classNo, room);
    }
    return room;
  }

  #look(classNo: number): Room {
    const restrictions = this.#state.classes.get(classNo)?.requirements.restrictions ?? [];
    const requirements = { restrictions, preferences: [] };
    let matching = false;
    let ever = 0;
    let now = 0;
    for (const recipient of this.#router.recipients.values()) {
      if (mismatch(recipient, restrictions) !== undefined) continue;
      matching = true;
      const capacity = recipient.capacity === 0 ? Number.MAX_SAFE_INTEGER : recipient.capacity;
      ever = Math.max(ever, capacity);
      if (exclusionOf(this.#router, recipient, requirements, 0, this.#now) !== undefined) continue;
      if (recipient.capacity === 0) return { matching, ever, now: capacity };
      now = Math.max(now, capacity - recipient.inFlight);
    }
    return { matching, ever, now };
  }
}
