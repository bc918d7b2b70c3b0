/**
 * Storage in a folder of this machine. The journal is a set of segment files, synced before anything is acknowledged.
 * Tables are an LMDB environment that follows the journal; objects are files. One process owns the folder, and its
 * threads share it. What was acknowledged survives kill -9 and a power loss; a disk that reports syncs it has not done
 * can lose it.
 */

export { type AttachOptions, attachEmbedded } from "./bootstrap.ts";
export { startEmbedded } from "./host.ts";
