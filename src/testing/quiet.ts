import { DefaultLogger, Runtime } from "@temporalio/worker";

let installed = false;

/**
 * The SDK's own logs only where something is wrong. Once for a process, before anything else of the SDK's native part;
 * who has installed a runtime of his own keeps it.
 */
export function quietRuntime(): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: new DefaultLogger("ERROR"),
      telemetryOptions: { logging: { forward: {}, filter: "error" } },
    });
  } catch (error) {
    if ((error as Error).name !== "IllegalStateError") throw error;
  }
}
