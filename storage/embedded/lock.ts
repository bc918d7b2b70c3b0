import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asError, limits } from "#base";
import { StorageError } from "../error.ts";
import { fullError, isFull } from "./durable.ts";

/**
 * Keeps a second process off the folder. Every starting process listens on its own socket in `lock/` and then asks all
 * other sockets there. One that answers belongs to a living process; one that does not was left by a killed process,
 * whose socket the kernel closed. As each listens before it asks, at least one of two starting processes sees the
 * other. (Node has no flock. A socket in the folder, unlike an abstract one, is also seen from another container on the
 * same machine. On a network file system this protects nothing.)
 */
export interface FolderLock {
  readonly path: string;
  release(): Promise<void>;
}

export async function lockFolder(dir: string): Promise<FolderLock> {
  const folder = join(dir, "lock");
  const name = `${Date.now().toString(36).padStart(10, "0")}-${randomBytes(6).toString("hex")}-${process.pid}`;
  let holder = false;
  const greeting = () => (holder ? "holds" : "starts");
  const { handle, at, server } = await listenIn(folder, name, greeting).catch((error: unknown) => {
    throw cannotLock(dir, error);
  });
  const release = async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await rm(join(folder, name), { force: true });
    await handle.close();
  };
  try {
    await outlast(folder, at, name, dir);
  } catch (error) {
    await release();
    throw error;
  }
  holder = true;
  return { path: join(folder, name), release };
}

/** Returns when no other process has the folder. Of two that start together, the one with the smaller name stays. */
async function outlast(folder: string, at: string, own: string, dir: string): Promise<void> {
  for (;;) {
    let later = 0;
    for (const name of await readdir(folder)) {
      if (name === own) continue;
      const state = await ask(join(at, name));
      if (state === "gone") await rm(join(folder, name), { force: true });
      else if (state === "leaving" || (state === "starts" && name > own)) later++;
      else throw inUse(dir, name);
    }
    if (later === 0) return;
    await sleep(limits.lockRetryMs);
  }
}

interface Listening {
  readonly handle: FileHandle;
  /** The path of the folder that is used for its sockets. */
  readonly at: string;
  readonly server: Server;
}

async function listenIn(folder: string, name: string, greeting: () => string): Promise<Listening> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const at = await socketFolder(folder, handle);
    const server = await listen(join(at, name), greeting);
    await chmod(join(folder, name), 0o600);
    return { handle, at, server };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A socket's path has at most about 100 bytes; the path through the open folder is always short. */
async function socketFolder(folder: string, handle: FileHandle): Promise<string> {
  const short = `/proc/self/fd/${handle.fd}`;
  const usable = await access(short).then(
    () => true,
    () => false,
  );
  return usable ? short : folder;
}

async function listen(path: string, greeting: () => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    // The process that asked may be stopped: do not wait until it closes its end of the connection.
    socket.end(greeting(), () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  server.unref();
  return server;
}

/** The system's error names the socket by a path that an operator does not know: so this one names the folder. */
function cannotLock(dir: string, error: unknown): StorageError {
  if (isFull(error)) return fullError(error);
  const { code } = asError(error);
  return new StorageError(
    "unavailable",
    `storage.dir: ${dir} cannot be locked: its folder "lock" cannot be used (${code})`,
    {
      cause: error,
    },
  );
}

function inUse(dir: string, name: string): StorageError {
  const pid = name.split("-").at(-1);
  return new StorageError(
    "unavailable",
    `storage.dir: ${dir} is in use by process ${pid}: stop it, or choose another folder`,
  );
}

/**
 * The answer of the process behind the socket. A stopped process accepts the connection, answers nothing and still
 * holds the folder.
 */
function ask(path: string): Promise<"holds" | "starts" | "leaving" | "gone"> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let answer = "";
    const settle = () => {
      socket.destroy();
      resolve(answer === "starts" ? "starts" : "holds");
    };
    socket.setTimeout(limits.lockAnswerMs, settle);
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("end", settle);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve("gone");
      else if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve("leaving");
      else reject(error);
    });
  });
}
