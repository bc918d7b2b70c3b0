import { open, type RootDatabase } from "lmdb";

/**
 * The tables' LMDB environment. Every transaction is synced before it counts: without that, pages lost with the power
 * leave files that cannot be read. The path is a folder even if its name has a dot, so `noSubdir` is said explicitly.
 */
export function openEnvironment(path: string, readOnly: boolean): RootDatabase<Buffer, Buffer> {
  return open<Buffer, Buffer>({
    path,
    noSubdir: false,
    readOnly,
    keyEncoding: "binary",
    encoding: "binary",
    overlappingSync: false,
    noMemInit: false,
  });
}
