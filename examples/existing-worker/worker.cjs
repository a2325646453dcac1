// The worker of an application on Temporal: its workflows, activities, sinks, codec and tracing. One line of it is Navigator.
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require("@opentelemetry/sdk-trace-base");
const { Resource } = require("@opentelemetry/resources");
const { OpenTelemetryPlugin } = require("@temporalio/interceptors-opentelemetry");
const { NativeConnection, Worker } = require("@temporalio/worker");
const { NavigatorPlugin } = require("navigator-agents");
const { dataConverter } = require("./codec.cjs");
const { refundCard } = require("./tools.cjs");

const { TEMPORAL_ADDRESS = "127.0.0.1:7233", TEMPORAL_NAMESPACE = "default", TASK_QUEUE = "orders", KEY } = process.env;
const show = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

async function main() {
  const spans = new InMemorySpanExporter();
  const spanProcessor = new SimpleSpanProcessor(spans);
  const resource = new Resource({ "service.name": "orders" });
  // Spans of activities, and Navigator's own of missions, turns and calls, go to the provider that is registered.
  new BasicTracerProvider({ resource, spanProcessors: [spanProcessor] }).register();
  const tracing = new OpenTelemetryPlugin({ resource, spanProcessor });
  const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: TEMPORAL_NAMESPACE,
    taskQueue: TASK_QUEUE,
    workflowsPath: require.resolve("./workflows.cjs"),
    activities: { takeBack: async (order_id) => `shelf ${order_id.length}` },
    sinks: { audit: { note: { fn: (_info, text) => show({ audit: text }), callDuringReplay: false } } },
    dataConverter: dataConverter(KEY),
    plugins: [tracing, new NavigatorPlugin({ tools: [refundCard] })],
  });
  show({ ready: process.pid });
  process.once("SIGTERM", () => worker.shutdown());
  await worker.run();
  await connection.close();
  show({ spans: [...new Set(spans.getFinishedSpans().map(({ name }) => name))].sort() });
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
