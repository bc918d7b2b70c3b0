import { limits } from "#base";
import type { EffectRun } from "#runtime";
import { askAs } from "../../kit/ask.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { Manifest } from "../../notify/manifest.ts";
import type { PreferenceSettings } from "../../notify/preference.ts";
import { type ModuleParts, publicUrlOf } from "../../parts.ts";
import type { SendBody } from "../deliveries/send-body.ts";
import { getLinkSecret } from "../methods.ts";
import { confirmPath, signLink, unsubscribePath } from "../subscribers/links.ts";

interface LinkUrls {
  /** Of a mail that a preference can switch off. */
  readonly unsubscribe?: string;
  readonly confirm?: string;
}

/** The addresses in a message by which its recipient answers. They are made for the attempt and stored nowhere. */
export class LinkAddresses {
  readonly #call: ModuleParts["call"];
  readonly #base: string;
  readonly #secrets = new Map<string, string>();
  readonly #asked = new SharedQuestions<string>();

  constructor({ call, settings }: Pick<ModuleParts, "call" | "settings">) {
    this.#call = call;
    this.#base = publicUrlOf(settings);
  }

  async of(run: EffectRun, { channel, subscriber }: SendBody, manifest: Manifest): Promise<LinkUrls> {
    const { confirm, workflowKey, topicKey, layer1, layer2 } = manifest;
    if (this.#base === "") return {};
    const to = { tenant: run.address.tenant, subscriberId: subscriber.id as string };
    if (confirm) {
      const { endpointId, nonce, pageUrl } = confirm;
      const secret = await this.#secretOf(run);
      const token = signLink(secret, { type: "confirm", ...to, endpointId, nonce });
      if (pageUrl === "") return { confirm: `${this.#base}${confirmPath}/${token}` };
      return { confirm: `${pageUrl}${pageUrl.includes("?") ? "&" : "?"}token=${token}` };
    }
    // Where the workflow locks the channel, the subscriber's word would change nothing.
    if (channel !== "email" || locks(layer1) || locks(layer2)) return {};
    const secret = await this.#secretOf(run);
    const token = signLink(secret, { type: "unsubscribe", ...to, workflowKey, topicKey });
    return { unsubscribe: `${this.#base}${unsubscribePath}/${token}` };
  }

  /** Of the subscriber's audience, which runs the effect. It is drawn once and never changes. */
  async #secretOf({ address: { tenant, key }, id, attempt }: EffectRun): Promise<string> {
    const name = `${tenant}/${key}`;
    const known = this.#secrets.get(name);
    if (known !== undefined) return known;
    const secret = await this.#asked.ask(name, async () => {
      const as = { tenant, subject: "notifications", key: `${id}.${attempt}` };
      return (await askAs(this.#call, getLinkSecret, { key, request: {} }, as)).secret;
    });
    if (this.#secrets.size >= limits.linkSecretsMax) this.#secrets.delete(this.#secrets.keys().next().value!);
    this.#secrets.set(name, secret);
    return secret;
  }
}

function locks(settings: PreferenceSettings | null | undefined): boolean {
  const email = settings?.channels?.email;
  return (settings?.read_only || settings?.all?.read_only || email?.read_only) === true;
}
