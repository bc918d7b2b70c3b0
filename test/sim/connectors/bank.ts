import { type Outgoing, OutgoingError, type OutgoingRequest, type OutgoingResponse } from "#actors";
import type { Random } from "#base";
import type { Process } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { newOwner } from "../scheduler.ts";

const tokenSeconds = 4;
const travelMs = 300;

/** What a refresh token stands for. */
interface Grant {
  readonly connection: string;
  refreshToken: string;
  /** Refresh tokens that were exchanged, with the expiry of the access tokens issued with them. */
  readonly spent: Map<string, number>;
}

interface Token {
  readonly expiresMs: number;
}

/**
 * The provider of the simulator: it rotates refresh tokens, performs payments, and loses requests and answers. It
 * continues when the process that called it is dead.
 */
export class Bank {
  readonly #stage: Stage;
  readonly #network = newOwner("bank");
  readonly #codes = new Set<string>();
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, Token>();
  /** Refreshes under way, by connection. */
  readonly #refreshing = new Map<string, number>();
  readonly #keys = new Set<string>();
  readonly performed = new Map<string, number>();
  refreshes = 0;
  #count = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The bank as seen by one process. */
  outgoing(process: () => Process): Outgoing {
    return {
      request: (request) => this.#request(process(), request),
      connect: () => Promise.reject(new OutgoingError("connect", "the bank speaks HTTP only")),
      denies: () => false,
    };
  }

  async #request(process: Process, request: OutgoingRequest): Promise<OutgoingResponse> {
    const { random } = process;
    const { scheduler } = this.#stage;
    // Nothing has been sent before this: a process that is replaced meanwhile sends late.
    await process.delay(random.float() * 30, "reach the bank");
    if (random.chance(0.04)) throw new OutgoingError("connect", "refused");
    const arrived = this.#leaves(process, request);
    const fate = random.pick(fates);
    return new Promise((resolve, reject) => {
      const lost = (stage: "receive" | "aborted") =>
        reject(new OutgoingError(stage, "no answer came", { sent: true }));
      request.signal?.addEventListener("abort", () => lost("aborted"), { once: true });
      scheduler.schedule(this.#network, random.float() * travelMs, "at the bank", () => {
        arrived();
        const response = fate === "request lost" ? undefined : this.#serve(request, random);
        scheduler.schedule(process.owner, random.float() * travelMs, "answer of the bank", () => {
          if (response === undefined || fate === "answer lost") lost("receive");
          else resolve(response);
        });
      });
    });
  }

  /** A refresh is recorded from the moment it is sent; returns the function to call when it has arrived. */
  #leaves(process: Process, { url, body }: OutgoingRequest): () => void {
    const form = new URLSearchParams(String(body));
    const grant = this.#grants.get(form.get("refresh_token") ?? "");
    // A process that was replaced may still send what it began before.
    if (!url.endsWith("/token") || grant === undefined || !process.isOwner) return () => {};
    const { connection, spent } = grant;
    const under = this.#refreshing.get(connection) ?? 0;
    if (under > 0) this.#stage.violate(`two refreshes of ${connection} at once`);
    const validMs = spent.get(form.get("refresh_token")!);
    const { faults, scheduler } = this.#stage;
    if (validMs !== undefined && validMs > scheduler.nowMs && !faults.clock && faults.skewMs === 0)
      this.#stage.violate(`a spent refresh token of ${connection} was used while its access token was valid`);
    this.#refreshing.set(connection, under + 1);
    return () => this.#refreshing.set(connection, this.#refreshing.get(connection)! - 1);
  }

  #serve({ url, headers, body }: OutgoingRequest, random: Random): OutgoingResponse {
    if (url.endsWith("/token")) return this.#token(new URLSearchParams(String(body)), random);
    const token = this.#tokens.get(headers?.authorization ?? "");
    if (token === undefined || token.expiresMs <= this.#stage.scheduler.nowMs) return answer(401, {});
    if (random.chance(0.05)) return answer(429, {});
    if (random.chance(0.05)) return answer(503, {});
    const { payment } = JSON.parse(String(body)) as { payment: string };
    const key = headers?.["idempotency-key"];
    if (url.endsWith("/read") || (key !== undefined && this.#keys.has(key))) return answer(200, { payment });
    if (key !== undefined) this.#keys.add(key);
    const times = (this.performed.get(payment) ?? 0) + 1;
    this.performed.set(payment, times);
    if (times > 1) this.#stage.violate(`${payment} was performed ${times} times`);
    return answer(200, { payment });
  }

  #token(form: URLSearchParams, random: Random): OutgoingResponse {
    if (random.chance(0.1)) return answer(503, {});
    const code = form.get("code");
    if (code !== null) {
      if (this.#codes.has(code)) this.#stage.violate(`${code} was exchanged twice`);
      this.#codes.add(code);
      return this.#issue({ connection: code.split("/")[0]!, refreshToken: "", spent: new Map() });
    }
    const presented = form.get("refresh_token")!;
    const grant = this.#grants.get(presented);
    if (grant === undefined || grant.refreshToken !== presented)
      return answer(400, { error: "invalid_grant" });
    this.refreshes++;
    return this.#issue(grant);
  }

  #issue(grant: Grant): OutgoingResponse {
    const expiresMs = this.#stage.scheduler.nowMs + tokenSeconds * 1_000;
    const before = this.#tokens.get(`Bearer a${grant.refreshToken.slice(1)}`);
    if (before) grant.spent.set(grant.refreshToken, before.expiresMs);
    const number = this.#count++;
    grant.refreshToken = `r${number}`;
    this.#grants.set(grant.refreshToken, grant);
    this.#tokens.set(`Bearer a${number}`, { expiresMs });
    return answer(200, {
      access_token: `a${number}`,
      refresh_token: grant.refreshToken,
      token_type: "bearer",
      expires_in: tokenSeconds,
    });
  }
}

const fates = [...Array<"answered">(12).fill("answered"), "request lost" as const, "answer lost" as const];

function answer(status: number, body: object): OutgoingResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
}
