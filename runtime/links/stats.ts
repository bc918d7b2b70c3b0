/** What went over a link since it was opened, and what is under way. */
export interface LinkStats {
  /** Calls without an answer. */
  readonly inFlight: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Sent, and the peer has not said to have read it: it says so every `linkFrameBytes`. */
  readonly unreadBytes: number;
}
