import type { AnyActorDefinition } from "../../runtime/index.ts";

/** An answer is checked again after this many others: by then the state it came from has changed. */
const looksBack = 16;

/**
 * Answers of methods that declare them fresh are passed on without a copy. They must not be changed afterwards, neither
 * by the module through its state nor by the receiver.
 */
export class GivenAnswers {
  readonly #edited: (method: string) => void;
  readonly #given: { readonly method: string; readonly response: unknown; readonly text: string }[] = [];

  constructor(edited: (method: string) => void) {
    this.#edited = edited;
  }

  watch(definition: AnyActorDefinition): AnyActorDefinition {
    const methods = { ...definition.methods };
    for (const [name, method] of Object.entries(methods)) {
      if (!method.fresh) continue;
      const respond: typeof method.respond = (...args) => this.#give(name, method.respond(...args));
      methods[name] = { ...method, respond };
    }
    return { ...definition, methods };
  }

  #give(method: string, response: unknown): unknown {
    this.#given.push({ method, response, text: JSON.stringify(response) });
    const earlier = this.#given.length > looksBack ? this.#given.shift()! : undefined;
    if (earlier && JSON.stringify(earlier.response) !== earlier.text) this.#edited(earlier.method);
    return response;
  }
}
