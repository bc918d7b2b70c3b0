/** An answer that is on its way, and the one that follows it. */
interface Asked<Answer> {
  readonly over: Promise<void>;
  next: Promise<Answer> | undefined;
}

/**
 * One question at a time for each key. Callers that come while it is under way share the next one: no caller gets an answer that is
 * older than its own question, and many callers at once cost two questions.
 */
export class SharedQuestions<Answer> {
  readonly #asked = new Map<string, Asked<Answer>>();

  ask(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const known = this.#asked.get(key);
    if (known === undefined) return this.#begin(key, question);
    known.next ??= known.over.then(() => this.#begin(key, question));
    return known.next;
  }

  #begin(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const answer = question();
    const ignore = () => {};
    const asked: Asked<Answer> = { over: answer.then(ignore, ignore), next: undefined };
    this.#asked.set(key, asked);
    void asked.over.then(() => {
      if (asked.next === undefined) this.#asked.delete(key);
    });
    return answer;
  }
}
