/** Storage in a folder of this machine. */
import { StorageError } from "../error.ts";
import type { Storage, StorageHost } from "../index.ts";

export async function startEmbedded(settings: { readonly dir: string }): Promise<StorageHost> {
  throw new StorageError("unavailable", `no engine for ${settings.dir} yet`);
}

export async function attachEmbedded(_seat: unknown): Promise<Storage> {
  throw new StorageError("unavailable", "no engine yet");
}
