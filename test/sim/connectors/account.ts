import { createHash } from "node:crypto";
import { devTenantId, handleOf, isRefusal, newUlid, type Random } from "#base";
import type { Connection } from "../../../actors/connectors/connection/record.ts";
import { decrypt, encrypt } from "../../../actors/kit/secrets.ts";
import type { KeyRing } from "../../../actors/parts.ts";
import type { Answer } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import { epochMs } from "../process.ts";
import type { Stage } from "../scenario.ts";

export type Message = Record<string, unknown>;

/** An answer of a cut-off owner may be this old. */
const staleMs = 2_000;

/** One connection: a person who connects it repeatedly, and a reader that checks its credentials. */
export class Account {
  readonly id: string;
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #keyRing: KeyRing;
  readonly #providerConfigId: string;
  /** The access token of every version of the credentials seen so far. */
  readonly #tokens = new Map<number, string>();
  #seen: { readonly ms: number; readonly version: number }[] = [{ ms: 0, version: 0 }];
  #codes = 0;

  constructor(stage: Stage, callers: Callers, given: { keyRing: KeyRing; providerConfigId: string }) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.#keyRing = given.keyRing;
    this.#providerConfigId = given.providerConfigId;
    this.id = newUlid(epochMs, stage.random);
  }

  get address() {
    return { kind: "connection", tenant: devTenantId, key: handleOf(this.id) };
  }

  /** True once a person may have connected it. */
  get isKnown(): boolean {
    return this.#seen.length > 1;
  }

  start(): void {
    this.#connect();
    this.#look();
  }

  #connect(): void {
    let over = false;
    const again = () => {
      if (over) return;
      over = true;
      this.#callers.think(this.isKnown ? 4_000 : 200, () => this.#connect());
    };
    // A lost question has no answer.
    this.#callers.think(5_000, again);
    const request = {
      connection_id: this.id,
      reconnect: true,
      provider_config_id: this.#providerConfigId,
      provider_key: "bank",
      auth: "code",
      auth_type: "oauth2_code",
      environment: "production",
      external_id: "",
      name: "account",
      scopes: [],
      return_url: "",
      ttl_ms: 10_000,
      token_hash: "",
    };
    this.ask("connection.CreateSession", request, (answer) => {
      if (isRefusal(answer)) again();
      else this.#authorize((answer.response as { id: string }).id, again);
    });
  }

  /** The browser goes to the bank and returns with a code: often twice, sometimes as another browser. */
  #authorize(id: string, again: () => void): void {
    const code = `${this.id}/${this.#codes++}`;
    const of = {
      kind: "connect_session",
      tenant: devTenantId,
      environment: "production",
      id,
      version: 0,
    } as const;
    const authorization = {
      stateHash: hash(`state ${code}`),
      cookieHash: hash(`cookie ${code}`),
      encryptedVerifier: encrypt({ keyRing: this.#keyRing }, "v".repeat(43), of).encrypted,
      redirectUri: "https://service.example/connect/callback",
    };
    this.ask("connection.Authorize", { id, authorization }, (answer) => {
      if (isRefusal(answer)) return again();
      let taken = 0;
      const back = (cookie: string) =>
        this.ask(
          "connection.Callback",
          {
            id,
            state_hash: authorization.stateHash,
            cookie_hash: hash(cookie),
            encrypted_code: encrypt({ keyRing: this.#keyRing }, code, of).encrypted,
          },
          (told) => {
            if (isRefusal(told)) return;
            if (cookie !== `cookie ${code}`)
              this.#violate(`the state of ${code} was taken of another browser`);
            if (++taken > 1) this.#violate(`the state of ${code} was consumed twice`);
          },
        );
      if (this.#random.chance(0.2)) back("another cookie");
      back(`cookie ${code}`);
      if (this.#random.chance(0.6)) this.#callers.think(800, () => back(`cookie ${code}`));
      this.#callers.think(1_500, again);
    });
  }

  /** Versions rise, each has one token, and its envelope can be decrypted. */
  #look(): void {
    this.#callers.think(150, () => {
      this.#look();
      const least = this.#versionMin();
      this.ask("connection.Look", {}, (answer) => {
        if (!isRefusal(answer)) this.#check(answer.response as Connection, least);
      });
    });
  }

  /** A version that every owner knows. */
  #versionMin(): number {
    const known = this.#seen.filter(({ ms }) => ms <= this.#stage.scheduler.nowMs - staleMs);
    return known.at(-1)?.version ?? 0;
  }

  #check({ credentials, tenant, environment, id }: Connection, least: number): void {
    const { version, encrypted } = credentials;
    if (version < least) this.#violate(`credentials of version ${version} are stored after ${least}`);
    if (version === 0) return;
    const of = { kind: "connection", tenant, environment, id, version } as const;
    const token = decrypt<{ access_token: string }>({ keyRing: this.#keyRing }, encrypted, of)?.access_token;
    if (token === undefined) {
      this.#violate(`credentials of version ${version} cannot be decrypted`);
      return;
    }
    const known = this.#tokens.get(version);
    if (known !== undefined && known !== token)
      this.#violate(`version ${version} of the credentials was ${known}, and is ${token}`);
    this.#tokens.set(version, token);
    if (version > this.#seen.at(-1)!.version) this.#seen.push({ ms: this.#stage.scheduler.nowMs, version });
  }

  ask(method: string, request: Message, heard: (answer: Answer) => void): void {
    this.#callers.send({ to: this.address, method, request }, 0.05, heard);
  }

  #violate(claim: string): void {
    this.#stage.violate(`${handleOf(this.id)}: ${claim}`);
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
