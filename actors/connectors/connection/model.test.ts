/** Sessions and their connection, driven by random commands against a model of their states; MODEL_RUNS sets how many. */
import test from "ava";
import fc from "fast-check";
import { assert, isRefusal, limits } from "#base";
import { connectionAt as at, connectionId } from "../../../test/support/connection.ts";
import { EntityDriver } from "../../../test/support/entity.ts";
import { modules } from "../../../test/support/module-parts.ts";
import type { Connection, ConnectionStatus, Credentials, SessionStatus } from "./record.ts";

const runs = Number(process.env.MODEL_RUNS ?? 150);
const tokenMs = 60_000;
const ttlMs = 300_000;

interface KnownSession {
  status: SessionStatus;
  working: boolean;
  attempt: number;
  readonly expiresAt: number;
  /** When it is looked at next. */
  timerAt: number;
  state: string | undefined;
}

/** What the states are by the rules of docs/connectors.md, without any of the code. */
class Model {
  status: ConnectionStatus | undefined;
  version = 0;
  expiresAt = 0;
  /** Effects of refreshes that still count, by id. */
  refresh: string | undefined;
  sessions = new Map<string, KnownSession>();

  isOpen({ status }: KnownSession): boolean {
    return status === "created" || status === "authorizing" || status === "failed";
  }

  /** It takes credentials or a browser. */
  takes(session: KnownSession, now: number): boolean {
    return this.isOpen(session) && session.expiresAt > now && !session.working;
  }

  move(session: KnownSession, status: SessionStatus, now: number): void {
    if (session.status !== status) {
      session.status = status;
      session.timerAt = this.isOpen(session) ? session.expiresAt : now + limits.connectSessionKeptMs;
    }
  }

  connect(session: KnownSession, now: number): void {
    session.working = false;
    this.move(session, "connected", now);
    if (this.status !== "disabled") this.status = "active";
    this.stored(now);
    this.refresh = undefined;
  }

  stored(now: number): void {
    this.version++;
    this.expiresAt = now + tokenMs;
  }

  passed(now: number): void {
    for (;;) {
      const due = [...this.sessions].filter(([, { timerAt }]) => timerAt <= now);
      const [id, session] = due.sort(([, a], [, b]) => a.timerAt - b.timerAt)[0] ?? [];
      if (id === undefined || session === undefined) return;
      const atMs = session.timerAt;
      if (this.isOpen(session) && session.working) session.timerAt = atMs + limits.effectLeaseMs;
      else if (this.isOpen(session)) {
        session.state = undefined;
        this.move(session, "expired", atMs);
      } else {
        this.sessions.delete(id);
        if (this.status === "pending" && this.sessions.size === 0) Object.assign(this, new Model());
      }
    }
  }
}

class Run {
  readonly driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  readonly model = new Model();
  #states = 0;

  step(op: string, a: number, b: number): void {
    const { driver, model } = this;
    const ids = [...model.sessions.keys()];
    const id = ids[a % Math.max(1, ids.length)];
    const session = id === undefined ? undefined : model.sessions.get(id);
    if (op === "create") this.#create();
    else if (op === "pass") {
      driver.advance(passes[b % passes.length]!);
      model.passed(driver.now);
    } else if (op === "restart") driver.restart();
    else if (op === "move") this.#move((["active", "disabled", "revoked"] as const)[a % 3]!);
    else if (op === "resolve") this.#resolve();
    else if (op === "effect") this.#effect(a, b);
    else if (session !== undefined) this.#inSession(op, id!, session, b);
    this.check(op);
  }

  #create(): void {
    const { driver, model } = this;
    const open = [...model.sessions.values()].filter((one) => model.isOpen(one)).length;
    const may = model.status !== "revoked" && open < limits.connectSessionsOpenMax;
    const made = this.#ask("connection.CreateSession", {
      connection_id: connectionId,
      reconnect: true,
      provider_config_id: "01JD0000000000000000000003",
      provider_key: "http",
      auth: "code",
      auth_type: "oauth2_code",
      environment: "production",
      external_id: "",
      name: "calls",
      scopes: [],
      return_url: "",
      ttl_ms: ttlMs,
      token_hash: "",
    });
    assert(isRefusal(made) !== may, `create: ${JSON.stringify(made)}`);
    if (!may) return;
    model.status ??= "pending";
    const expiresAt = driver.now + ttlMs;
    model.sessions.set((made as { id: string }).id, {
      status: "created",
      working: false,
      attempt: 0,
      expiresAt,
      timerAt: expiresAt,
      state: undefined,
    });
  }

  #inSession(op: string, id: string, session: KnownSession, b: number): void {
    const { driver, model } = this;
    const { now } = driver;
    switch (op) {
      case "authorize": {
        const state = `state ${this.#states++}`;
        const authorization = {
          stateHash: state,
          cookieHash: `c${state}`,
          encryptedVerifier: "v",
          redirectUri: "",
        };
        const may = this.#taken("connection.Authorize", { id, authorization }, model.takes(session, now));
        if (!may) return;
        session.state = state;
        model.move(session, "authorizing", now);
        return;
      }
      case "callback": {
        const state = b % 4 === 0 ? "state of nothing" : (session.state ?? `state ${this.#states - 1}`);
        const foreign = b % 5 === 0;
        const code = b % 3 !== 0;
        const may = session.state === state && !foreign && model.isOpen(session) && session.expiresAt > now;
        const request = {
          id,
          state_hash: state,
          cookie_hash: foreign ? "another browser" : `c${state}`,
          ...(code && { encrypted_code: "code" }),
        };
        if (!this.#taken("connection.Callback", request, may)) return;
        session.state = undefined;
        session.attempt++;
        if (code) session.working = true;
        model.move(session, code ? "authorizing" : "failed", now);
        return;
      }
      case "submit": {
        const effect = b % 2 === 0;
        const stale = b % 5 === 0;
        const credentials = this.#credentials(model.version + (stale ? 0 : 1));
        const may = model.takes(session, now) && !stale && (effect || model.status !== "revoked");
        if (!this.#taken("connection.Submit", { id, credentials, effect }, may)) return;
        session.attempt++;
        if (!effect) {
          model.connect(session, now);
          return;
        }
        session.working = true;
        model.move(session, "authorizing", now);
        return;
      }
      case "revoke": {
        const may = model.isOpen(session) || session.status === "revoked";
        const request = { connect_session_id: id };
        if (!this.#taken("ConnectSessionService.RevokeConnectSession", request, may)) return;
        if (session.status === "revoked") return;
        session.working = false;
        session.state = undefined;
        model.move(session, "revoked", now);
      }
    }
  }

  /** One of the effects under way ends, one way or the other. */
  #effect(a: number, b: number): void {
    const { driver, model } = this;
    const effects = driver.effects(at).filter(({ id }) => !id.startsWith("revoke."));
    const effect = effects[a % Math.max(1, effects.length)];
    if (effect === undefined) return;
    const { now } = driver;
    const current = b % 4 !== 0;
    const credentials = this.#credentials(model.version + (current ? 1 : 0));
    const end = (result: object) =>
      driver.stepEffect(at, { type: "done", id: effect.id, attempt: 1, result });
    if (effect.id.startsWith("refresh.")) {
      const kind = (["refreshed", "rejected", "failed", "unknown"] as const)[b % 4]!;
      const counts = model.refresh === effect.id;
      end({
        type: kind,
        ...(kind === "refreshed" && { credentials: this.#credentials(model.version + 1) }),
        reason: "INVALID_GRANT",
      });
      if (!counts) return;
      model.refresh = undefined;
      if (kind === "refreshed" && model.status !== "revoked") {
        model.stored(now);
        if (model.status === "needs_reauth") model.status = "active";
      } else if (kind === "rejected" && model.status === "active") model.status = "needs_reauth";
      return;
    }
    const [id = "", attempt] = effect.id.split(".");
    const session = model.sessions.get(id);
    const works = b % 3 !== 0;
    end(works ? { type: "connected", credentials } : { type: "failed", error: "no" });
    if (!session?.working || session.attempt !== Number(attempt)) return;
    if (works && current && model.status !== "revoked") {
      model.connect(session, now);
      return;
    }
    session.working = false;
    model.move(session, "failed", now);
  }

  #move(to: "active" | "disabled" | "revoked"): void {
    const { model } = this;
    const from: Record<typeof to, readonly (ConnectionStatus | undefined)[]> = {
      active: ["disabled", "active"],
      disabled: ["active", "disabled"],
      revoked: ["active", "needs_reauth", "disabled", "revoked"],
    };
    const method = { active: "Enable", disabled: "Disable", revoked: "Revoke" }[to];
    const may = from[to].includes(model.status);
    if (this.#taken(`ConnectionService.${method}Connection`, {}, may)) model.status = to;
  }

  /** Asks for a refresh where the token has expired, of which one is under way at a time. */
  #resolve(): void {
    const { driver, model } = this;
    const answer = this.#ask("connection.Resolve", {});
    const working = driver.effects(at).filter(({ id }) => id === model.refresh);
    if (model.status !== "active") {
      assert(isRefusal(answer), "only an active connection is resolved");
      return;
    }
    if (model.refresh !== undefined) assert(working.length === 1, "the refresh that counts is under way");
    const asked = driver.effects(at).filter(({ id }) => id.startsWith("refresh."));
    const newest = asked.at(-1)?.id;
    if (model.refresh === undefined && newest !== undefined && this.#isWorking()) model.refresh = newest;
  }

  #isWorking(): boolean {
    return this.driver.state<{ refresh: { working: boolean } }>(at).refresh.working;
  }

  #credentials(version: number): Credentials {
    const { now } = this.driver;
    return {
      encrypted: `encrypted ${version}`,
      version,
      keyId: "k1",
      scopes: [],
      refreshable: true,
      issuedAt: now,
      expiresAt: now + tokenMs,
    };
  }

  #taken(method: string, request: object, may: boolean): boolean {
    const answer = this.#ask(method, request);
    assert(
      isRefusal(answer) !== may,
      `${method} ${JSON.stringify(request)} should ${may ? "" : "not "}be taken: ${JSON.stringify(answer)}`,
    );
    return may;
  }

  #ask(method: string, request: object): unknown {
    return this.driver.ask(at, method, request);
  }

  check(after: string): void {
    const { driver, model } = this;
    const record = this.#ask("connection.Look", {}) as Connection;
    const said = isRefusal(record)
      ? { status: undefined, version: 0 }
      : { status: record.status, version: record.credentials.version };
    const { status, version } = model;
    assert(
      said.status === status && said.version === version,
      `after ${after}: ${JSON.stringify(said)} and not ${JSON.stringify({ status, version })}`,
    );
    for (const [id, session] of model.sessions) {
      const shown = this.#ask("ConnectSessionService.GetConnectSession", { connect_session_id: id });
      const told = (shown as { status?: string }).status;
      assert(told === session.status, `after ${after}: the session is ${told} and not ${session.status}`);
    }
    const unlike = driver.unlikeReplay(at);
    assert(unlike.length === 0, unlike.join("\n"));
  }
}

const ops = [
  ...["create", "authorize", "callback", "callback", "submit", "revoke"],
  ...["effect", "effect", "move", "resolve", "resolve", "pass", "restart"],
];
/** A token expires in the first, a session in the third; in the last it is forgotten. */
const passes = [tokenMs + 1, 1_000, ttlMs, tokenMs - 1_000, tokenMs + 1, limits.connectSessionKeptMs];

test("sessions and connections move as the model says, through restarts, late results and replayed states", (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...ops), fc.nat(11), fc.nat(59)), { minLength: 5, maxLength: 60 }),
      (steps) => {
        const run = new Run();
        for (const [op, a, b] of steps) run.step(op, a, b);
      },
    ),
    { numRuns: runs },
  );
  t.pass();
});
