import { Fifo } from "../fifo.ts";

/** What waits and what runs, by tenant and lane. */
interface Lane<T> {
  readonly name: string;
  readonly tenant: Tenant<T>;
  readonly waiting: Fifo<T>;
  readonly runningMax: number;
  running: number;
}

interface Tenant<T> {
  readonly name: string;
  /** Lanes that have something to run and room to run it, each once. */
  readonly ready: Fifo<Lane<T>>;
  lanes: number;
}

/** Hands out what waits: tenants in turn, lanes of a tenant in turn, never more of a lane than may run at once. */
export class Lanes<T> {
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #tenants = new Map<string, Tenant<T>>();
  /** Tenants with a ready lane, each once. */
  readonly #tenantsReady = new Fifo<Tenant<T>>();
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
  }

  add(tenantName: string, laneName: string, runningMax: number, value: T): void {
    const lane = this.#lane(tenantName, laneName, runningMax);
    lane.waiting.push(value);
    this.#waiting++;
    if (lane.waiting.length === 1 && lane.running < lane.runningMax) this.#ready(lane);
  }

  /** The next that may run, and what to call when it has ended. */
  next(): { readonly value: T; readonly ended: () => void } | undefined {
    const tenant = this.#tenantsReady.shift();
    if (tenant === undefined) return undefined;
    const lane = tenant.ready.shift()!;
    const value = lane.waiting.shift()!;
    this.#waiting--;
    lane.running++;
    if (lane.waiting.length > 0 && lane.running < lane.runningMax) tenant.ready.push(lane);
    if (tenant.ready.length > 0) this.#tenantsReady.push(tenant);
    return { value, ended: () => this.#ended(lane) };
  }

  #ended(lane: Lane<T>): void {
    const wasFull = lane.running-- === lane.runningMax;
    if (lane.waiting.length > 0) {
      if (wasFull) this.#ready(lane);
    } else if (lane.running === 0) this.#forget(lane);
  }

  #ready(lane: Lane<T>): void {
    const { tenant } = lane;
    tenant.ready.push(lane);
    if (tenant.ready.length === 1) this.#tenantsReady.push(tenant);
  }

  #lane(tenantName: string, name: string, runningMax: number): Lane<T> {
    const key = `${tenantName}\0${name}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    let tenant = this.#tenants.get(tenantName);
    if (tenant === undefined) {
      tenant = { name: tenantName, ready: new Fifo(), lanes: 0 };
      this.#tenants.set(tenantName, tenant);
    }
    tenant.lanes++;
    const lane = { name: key, tenant, waiting: new Fifo<T>(), runningMax, running: 0 };
    this.#lanes.set(key, lane);
    return lane;
  }

  #forget(lane: Lane<T>): void {
    this.#lanes.delete(lane.name);
    if (--lane.tenant.lanes === 0) this.#tenants.delete(lane.tenant.name);
  }
}
