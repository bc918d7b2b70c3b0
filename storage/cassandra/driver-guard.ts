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

/** Three defects of cassandra-driver 4.10 that only show when connections break; each was met by fencing.cases.ts. */
export function guardDriver(client: Client): void {
  catchRefreshFailures(client);
  // When no host answers, the driver makes new Host objects and forgets the old ones, which go on connecting for ever.
  client.hosts.on("remove", (host: Host) => {
    host.shutdown(false).catch(() => undefined);
  });
}

/** A request that ends during the shutdown makes the driver start a host's statistics timer again. */
export function stopTimers(client: Client): void {
  const stop = () => {
    for (const host of client.hosts.values())
      clearInterval((host as unknown as Host)._healthResponseCountTimer);
  };
  stop();
  setTimeout(stop, againMs).unref();
}

/**
 * The driver refreshes its control connection from a timer without looking at the outcome; if connections break while
 * two refreshes run, one fails with an unhandled TypeError, and Node would end the process. Here the failure
 * is caught, and the refresh is tried again if no other has succeeded by then.
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
