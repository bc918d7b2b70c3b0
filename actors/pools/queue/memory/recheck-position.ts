/** How far the groups have been looked at again since admission was configured anew. */
export interface Recheck {
  readonly kind: "throttle" | "concurrency";
  /** The group before the next one. */
  readonly after: string;
}

export const recheckStart: Recheck = { kind: "throttle", after: "" };

export interface Rechecked {
  readonly type: "rechecked";
  /** Where the next step goes on; `null`: everybody was looked at. */
  readonly next: Recheck | null;
}
