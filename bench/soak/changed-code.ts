import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";

/**
 * A worker of somebody's own workflow, whose code is changed while a run is open (`waits-first`, `waits-second`). It says
 * `code_ready` when it asks for work.
 */
async function main([address, metrics, version]: string[]): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { metrics: { prometheus: { bindAddress: metrics as string, countersTotalSuffix: true } } },
  });
  const connection = await NativeConnection.connect({ address: address as string });
  const workflowsPath = require.resolve(`./waits-${version}`);
  const worker = await Worker.create({ connection, taskQueue: "soak-code", workflowsPath });
  const running = worker.run();
  process.stdout.write(`${JSON.stringify({ event: "code_ready" })}\n`);
  await running;
  await connection.close();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
