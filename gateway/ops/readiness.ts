import type { StorageHealth } from "#storage";

type ComponentState = "healthy" | "degraded" | "unhealthy";

export interface Readiness {
  readonly ready: boolean;
  readonly status: "ready" | "degraded" | "not_ready";
  readonly components: Readonly<Record<"database" | "cache" | "queue", Component>>;
}

export interface Component {
  readonly status: ComponentState;
  readonly detail: string;
}

export interface ReadinessParts {
  /** False until the start is done, and again once draining has begun. */
  readonly serving: () => boolean;
  readonly storage: () => Promise<StorageHealth>;
  /** Absent: none is configured. */
  readonly cache?: () => Promise<boolean>;
  /** Whether the threads that own shards answer. */
  readonly queue: () => Promise<Component>;
}

/** Asks everything at once and waits a second at most; what has not answered by then is unhealthy. */
export async function readinessOf(parts: ReadinessParts): Promise<Readiness> {
  const [database, cache, queue] = await Promise.all([
    bounded(parts.storage().then(databaseOf)),
    parts.cache === undefined ? noCache : cacheOf(parts.cache()),
    bounded(parts.queue()),
  ]);
  const components = { database, cache, queue };
  const states = Object.values(components).map(({ status }) => status);
  const ready = parts.serving() && !states.includes("unhealthy");
  const degraded = states.includes("degraded");
  return { ready, status: ready ? (degraded ? "degraded" : "ready") : "not_ready", components };
}

/** The specification's bound. */
export const readinessTimeoutMs = 1_000;

const noCache: Component = { status: "healthy", detail: "no cache is configured" };

/** Losing it loses no data, and stops callers only where the settings say so: never worse than degraded. */
async function cacheOf(answers: Promise<boolean>): Promise<Component> {
  const found = await bounded(
    answers.then((yes): Component => ({ status: yes ? "healthy" : "degraded", detail: "" })),
  );
  return found.status === "healthy"
    ? { status: "healthy", detail: "Redis answers" }
    : { status: "degraded", detail: "Redis does not answer" };
}

/** Without the engine's own words: they name folders and hosts, and this page is open to everyone. */
function databaseOf({ state }: StorageHealth): Component {
  switch (state) {
    case "healthy":
      return { status: "healthy", detail: "storage answers" };
    case "degraded":
      return { status: "degraded", detail: "storage takes no writes at the moment" };
    case "gone":
      return { status: "unhealthy", detail: "storage cannot be reached" };
  }
}

async function bounded(check: Promise<Component>): Promise<Component> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Component>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: "unhealthy", detail: "no answer in time" }),
      readinessTimeoutMs,
    );
  });
  // The cause stays in the log of the part that failed: this page is open to everyone.
  const failed = check.catch((): Component => ({ status: "unhealthy", detail: "the check failed" }));
  try {
    return await Promise.race([failed, late]);
  } finally {
    clearTimeout(timer);
  }
}
