import { systemClock } from "#base";
import { Manifests } from "../../../actors/audience/effects/manifests.ts";
import { sendEffects } from "../../../actors/audience/effects/send.ts";
import { getManifest } from "../../../actors/audience/methods.ts";
import type { Manifest } from "../../../actors/notify/manifest.ts";
import type { OutboundMessage, Provider, SendOutcome } from "../../../actors/notify/outbound/types.ts";
import type { EffectHandlers } from "../../../runtime/index.ts";
import { epochMs, type Process } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { played } from "./played.ts";

/** The integration with a rate: in any time t at most `burst + perSecond · t` messages leave. */
export const rate = { perSecond: 4, burst: 4 };

export const providers = { email: "webhook", sms: "smtp" };

/** The provider: it records every message that it got, and answers late, with an error, or not at all. */
export class Outside {
  readonly #stage: Stage;
  /** Times at which a message arrived, by its key. */
  readonly arrived = new Map<string, number[]>();
  readonly #paced: number[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  handlers(process: () => Process, manifestOf: (transactionId: string) => Manifest): EffectHandlers {
    const { scheduler } = this.#stage;
    const provider = (key: string, keyed: boolean): [string, Provider] => {
      const send: Provider["send"] = (message) => this.#send(message, process());
      return [key, { key, channels: ["email", "sms"], keyed, connected: false, send }];
    };
    const effects = sendEffects({
      clock: { ...systemClock, now: () => epochMs + scheduler.nowMs, monotonic: () => scheduler.nowMs },
      settings: {},
      manifests: new Manifests(),
      metrics: { add() {}, observe() {}, gauge() {}, counter() {}, histogram() {} },
      // One provider drops repeats by their key, the other does not.
      providers: new Map([provider(providers.email, true), provider(providers.sms, false)]),
      call: async (method, request) =>
        method === getManifest.name
          ? { manifest: manifestOf((request as { transactionId: string }).transactionId) }
          : { type: "rendered", subject: "s", text: "t" },
    });
    return Object.fromEntries(
      Object.entries(effects).map(([kind, handler]) => [
        kind,
        { ...handler, run: (run) => handler.run(played.run(run) as never) },
      ]),
    );
  }

  async #send({ key, channel }: OutboundMessage, process: Process): Promise<SendOutcome> {
    const { random } = process;
    const { nowMs } = this.#stage.scheduler;
    if (random.chance(0.05)) {
      await process.delay(random.float() * 50, "outside");
      return { type: "not_sent", phase: "connect", code: "NETWORK", message: "not reached" };
    }
    this.arrived.set(key, [...(this.arrived.get(key) ?? []), nowMs]);
    if (channel === "sms") this.#paced.push(nowMs);
    await process.delay(random.float() * (random.chance(0.1) ? 1_500 : 80), "outside");
    if (random.chance(0.03))
      return { type: "maybe_sent", phase: "provider", code: "TIMEOUT", message: "no answer" };
    return { type: "accepted", providerMessageId: key };
  }

  /** If all clocks are right: no window exceeds the rate. */
  checkRate(): void {
    const { faults } = this.#stage;
    if (faults.clock || faults.skewMs !== 0) return;
    const { perSecond, burst } = rate;
    let least = Number.POSITIVE_INFINITY;
    for (const [index, atMs] of this.#paced.entries()) {
      const level = index - (perSecond * atMs) / 1_000;
      least = Math.min(least, level);
      const excess = level - least + 1 - burst;
      if (excess <= 1e-6) continue;
      this.#stage.violate(`${excess} messages more than the rate allows`);
      return;
    }
  }
}
