/**
 * Storage in a folder of this machine. The journal is a set of segment files, synced before anything is acknowledged;
 * tables are an LMDB environment that follows it; objects are files. One process owns the folder, its threads share it.
 * What was acknowledged survives kill -9 and loss of power; a disk that lies about syncs can lose it.
 */
export { startEmbedded } from "./host.ts";
export { type AttachOptions, attachEmbedded } from "./seat.ts";
