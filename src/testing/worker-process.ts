import { Context } from "@temporalio/activity";
import { NativeConnection } from "@temporalio/worker";
import type { Json } from "../core/base/json";
import type { EffectLookup, ModelReply } from "../core/calls/host";
import type { ToolSpec } from "../core/calls/tool";
import type { Chunk } from "../models";
import { type Tool, type ToolContext, ToolRegistry } from "../tools";
import { createWorker } from "../worker/create-worker";
import { quietRuntime } from "./quiet";
import { type Asked, type FromWorker, fromSentError, type Sent, type ToWorker, type WorkerStart } from "./worker-calls";

/**
 * A worker in its own process, so that it can be killed like one. Its tools and its model are in the test: it calls
 * them over the channel to its parent process, and ends with that process.
 */
const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
let asked = 0;

const post = (message: FromWorker): void => void process.send?.(message);

function ask<T extends Json | ModelReply | EffectLookup>(question: Asked): Promise<T> {
  asked += 1;
  const id = asked;
  return new Promise<T>((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    post({ id, ...question });
  });
}

process.on("disconnect", () => process.exit());
process.on("message", (message: ToWorker) => {
  if ("start" in message) {
    run(message.start).catch((error) => {
      process.stderr.write(`${(error as Error).stack}\n`);
      process.exit(1);
    });
    return;
  }
  const call = waiting.get(message.id);
  waiting.delete(message.id);
  if ("error" in message) call?.reject(fromSentError(message.error));
  else call?.resolve(message.value as never);
});

async function run({ address, namespace, taskQueue, tools, listeners }: WorkerStart): Promise<void> {
  quietRuntime();
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker({
    connection,
    namespace,
    taskQueue,
    // As in memory: a test that lacks something gets an error at once.
    blockedTimeoutMs: 0,
    tools: new ToolRegistry(tools.map(toolInTest)),
    onChunk: Object.fromEntries(
      listeners.map((name) => [name, async (chunk: Chunk) => void (await ask({ ask: "chunk", name, chunk }))]),
    ),
    models: {
      resolve: () => ({
        complete: (call) =>
          ask({ ask: "model", call, workflow_id: Context.current().info.workflowExecution?.workflowId ?? "" }),
      }),
    },
  });
  post({ ready: true });
  await worker.run();
  // The channel to the test would keep it alive.
  process.exit();
}

/** A tool that is in the test: the calls of its functions are sent there. */
function toolInTest(spec: ToolSpec): Tool {
  const { name } = spec;
  return {
    spec,
    run: (args, context) => ask({ ask: "tool", name, args, context: sent(context) }),
    ...(spec.lookup && {
      lookup: (key, args, context) => ask<EffectLookup>({ ask: "lookup", name, key, args, context: sent(context) }),
    }),
    ...(spec.undo && {
      undo: (args, result, context) => ask({ ask: "undo", name, args, result, context: sent(context) }),
    }),
  };
}

function sent<Context extends ToolContext>({ signal, heartbeat, ...context }: Context): Sent<Context> {
  return context;
}
