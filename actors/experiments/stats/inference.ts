/** What a test says of an estimate. */
export interface Inference {
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
  readonly p: number;
}
