/** What is counted: commands, and what they carry. */
export interface Counted {
  count: number;
  bytes: number;
}

/** Of one entity, tenant or thread: commands that wait inside it, or did and are not answered yet, and those that only watch. */
export class Waiting {
  readonly parked: Counted = { count: 0, bytes: 0 };
  readonly watching: Counted = { count: 0, bytes: 0 };
}
