// The built client; a refusal is told at once, as over REST.
import { Switchyard as Client } from "../../dist/sdk/index.js";

export * from "../../dist/sdk/index.js";

export class Switchyard extends Client {
  constructor(options) {
    super({ retries: 0, ...options });
  }
}
