import { type LoadedConfig, type Service, startService } from "#gateway";
import { CliError } from "./error.ts";

/** Runs until SIGTERM or SIGINT has been obeyed; a second signal does not wait. */
export async function serve(loaded: LoadedConfig, ready: (service: Service) => void): Promise<number> {
  let signalled!: (name: string) => void;
  const signal = new Promise<string>((resolve) => {
    signalled = resolve;
  });
  const onSignal = (name: string) => signalled(name);
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  const service = await startService(loaded).catch((error: unknown) => {
    throw new CliError(`service: cannot start: ${(error as Error).message}`);
  });
  try {
    ready(service);
  } catch (error) {
    await service.stop();
    throw new CliError(`service: cannot start: ${(error as Error).message}`);
  }
  await signal;
  process.once("SIGINT", () => process.exit(130));
  await service.stop();
  return 0;
}
