import type { Client } from "cassandra-driver";

interface ControlConnection {
  connection: object | null;
  _isShuttingDown: boolean;
  _refresh(plan?: unknown): Promise<void>;
}

interface Host {
  _healthResponseCountTimer?: NodeJS.Timeout;
  shutdown(waitForPending: boolean): Promise<void>;
}

const againMs = 2_000;

/**
 * Works around three defects of cassandra-driver 4.10 that show only when connections break. fencing.cases.ts met each
 * of them.
 */
export function guardDriver(client: Client): void {
  catchRefreshFailures(client);
  // When no host answers, the driver makes new Host objects and drops the old ones, which go on reconnecting for ever.
  client.hosts.on("remove", (host: Host) => {
    host.shutdown(false).catch(() => undefined);
  });
}

/** A request that ends during the shutdown makes the driver restart a host's statistics timer. */
export function stopTimers(client: Client): void {
  const stop = () => {
    for (const host of client.hosts.values())
      clearInterval((host as unknown as Host)._healthResponseCountTimer);
  };
  stop();
  setTimeout(stop, againMs).unref();
}

/**
 * The driver refreshes its control connection from a timer and ignores the result. If connections break while two
 * refreshes run, one fails with an unhandled TypeError, and Node would end the process. Here the failure is caught, and
 * the refresh is repeated if no other one has succeeded by then.
 */
function catchRefreshFailures(client: Client): void {
  const control = (client as unknown as { controlConnection?: ControlConnection }).controlConnection;
  if (typeof control?._refresh !== "function") return;
  const refresh = control._refresh.bind(control);
  control._refresh = async (plan) => {
    try {
      await refresh(plan);
    } catch {
      setTimeout(() => {
        if (!control._isShuttingDown && control.connection === null) void control._refresh();
      }, againMs).unref();
    }
  };
}
