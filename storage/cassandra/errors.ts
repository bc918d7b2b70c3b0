import { setTimeout as sleep } from "node:timers/promises";
import { errors } from "cassandra-driver";
import { asError, limits } from "#base";
import { StorageError } from "../error.ts";

/**
 * True when a conditional statement cannot have reached a server: as the driver does not retry, it reports "no host"
 * only before it has sent the request.
 */
export function neverSent(error: unknown): boolean {
  return error instanceof errors.NoHostAvailableError;
}

/** For reads and for writes that may be repeated: after any error the caller may try again later. */
export function unavailable(what: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError("unavailable", `${what}: ${reasonOf(error)}`, { cause: error });
}

/** The same for the work itself. */
export async function orUnavailable<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailable(what, error);
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof errors.NoHostAvailableError) {
    const tried = Object.entries((error as { innerErrors?: Record<string, unknown> }).innerErrors ?? {});
    const hosts = tried.map(([host, inner]) => `${host}: ${textOf(inner)}`);
    const none = error.message.includes("resolved")
      ? "none of the names has an address"
      : "none is known to be up";
    return `no Cassandra node answers (${hosts.join("; ") || none})`;
  }
  return textOf(error);
}

/** A node that is starting or stopping may answer with a code and no text. */
function textOf(error: unknown): string {
  const { name, message } = asError(error);
  if (message.trim() !== "") return message;
  return error instanceof errors.ResponseError ? `${name} ${error.code}` : name;
}

/**
 * Repeats an attempt until it has an answer. An attempt that returns undefined, or fails in the driver, has none. A
 * StorageError is an answer and is thrown. When the time is up, `failed` makes the error; a text makes it "unavailable".
 */
export async function pursue<T>(
  attempt: () => Promise<T | undefined>,
  failed: string | ((lastError: unknown) => StorageError),
): Promise<T> {
  const giveUp = performance.now() + limits.cassandraResolveMsMax;
  let lastError: unknown = "others were faster again and again";
  for (let round = 1; ; round++) {
    try {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    } catch (error) {
      if (error instanceof StorageError) throw error;
      lastError = error;
    }
    if (performance.now() > giveUp)
      throw typeof failed === "string" ? unavailable(failed, lastError) : failed(lastError);
    await sleep(Math.min(50 * round, 500));
  }
}
