import { errors } from "cassandra-driver";
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

export function reasonOf(error: unknown): string {
  if (error instanceof errors.NoHostAvailableError) {
    const tried = Object.entries((error as { innerErrors?: Record<string, unknown> }).innerErrors ?? {});
    const hosts = tried.map(([host, inner]) => `${host}: ${inner instanceof Error ? inner.message : inner}`);
    const none = error.message.includes("resolved")
      ? "none of the names has an address"
      : "none is known to be up";
    return `no Cassandra node answers (${hosts.join("; ") || none})`;
  }
  return error instanceof Error ? error.message : String(error);
}
