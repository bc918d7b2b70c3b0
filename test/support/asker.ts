import type { Answer, Ask, Asker } from "#runtime";

/** An asker with one function for both ways to ask. */
export function askerOf(answer: (ask: Ask) => Answer | Promise<Answer>): Asker {
  const ask = async (asked: Ask) => answer(asked);
  return { ask, post: (asked, reply) => void ask(asked).then(reply) };
}
