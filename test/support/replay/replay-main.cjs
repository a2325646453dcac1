// Replays histories in a process of its own: `node [flags] replay-main.cjs bundle history...`. Exit code 1 and the
// first failure's message when one is not what the code would write.
const { readFileSync } = require("node:fs");
const { historyFromJSON } = require("@temporalio/common/lib/proto-utils");
const { DefaultLogger, Runtime, Worker } = require("@temporalio/worker");

const [codePath, ...files] = process.argv.slice(2);

async function main() {
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { logging: { forward: {}, filter: "error" } },
  });
  const histories = files.map((file) => {
    const history = JSON.parse(readFileSync(file, "utf8"));
    const { workflowId } = history.events[0].workflowExecutionStartedEventAttributes;
    return { workflowId, history: historyFromJSON(history) };
  });
  let replayed = 0;
  const sinks = { navigatorTelemetry: { span: { fn: () => {}, callDuringReplay: false } } };
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { codePath }, sinks }, histories)) {
    if (error) throw new Error(`${files[replayed]}: ${error.stack}`);
    process.stdout.write(`${files[replayed++]}\n`);
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
