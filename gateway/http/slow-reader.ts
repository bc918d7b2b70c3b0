import { limits } from "#base";

/**
 * A client whose answer waits until it reads on. It may take as long as it likes while its call lasts; once the call is over,
 * or the server stops, one that reads nothing for `unreadMs` counts as gone.
 */
export class SlowReader {
  readonly #gone: () => void;
  /** How long it may leave something unread also while its call lasts; absent: as long as it likes. */
  patienceMs: number | undefined;
  #isWaitedFor = false;
  #isHurried = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(gone: () => void) {
    this.#gone = gone;
  }

  /** We have more for it than it reads. */
  wait(): void {
    this.#isWaitedFor = true;
    if (this.#isHurried) this.#startTimer(limits.unreadMs);
    else if (this.patienceMs !== undefined) this.#startTimer(this.patienceMs);
  }

  /** It has read what it was sent. */
  hasRead(): void {
    this.#isWaitedFor = false;
    clearTimeout(this.#timer);
  }

  hurry(): void {
    if (this.#isHurried) return;
    this.#isHurried = true;
    if (this.#isWaitedFor) this.#startTimer(limits.unreadMs);
  }

  #startTimer(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#gone, ms);
  }
}
