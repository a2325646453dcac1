import { writeFileSync } from "node:fs";
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";

/**
 * A worker of somebody's own workflow, whose code is changed while a run is open: `first` waits, `second` calls something
 * before. It says `code_ready` when it asks for work.
 */
async function main([address, metrics, version, file]: string[]): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { metrics: { prometheus: { bindAddress: metrics as string, countersTotalSuffix: true } } },
  });
  const begin = version === "first" ? "" : 'await workflow.sleep("1 hour");';
  writeFileSync(
    file as string,
    `const workflow = require(${JSON.stringify(require.resolve("@temporalio/workflow"))});
exports.waits = async () => {
  let isOver = false;
  workflow.setHandler(workflow.defineSignal("end"), () => { isOver = true; });
  ${begin}
  await workflow.condition(() => isOver, "1 day");
};
`,
  );
  const connection = await NativeConnection.connect({ address: address as string });
  const worker = await Worker.create({ connection, taskQueue: "soak-code", workflowsPath: file as string });
  process.stdout.write(`${JSON.stringify({ event: "code_ready" })}\n`);
  await worker.run();
  await connection.close();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
