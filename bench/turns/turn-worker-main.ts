import { readFileSync } from "node:fs";
import { NativeConnection } from "@temporalio/worker";
import { createModels, type ModelCall, parseScript, scriptedModel } from "../../src/models";
import { delay } from "../../src/node/delay";
import { createWorker } from "../../src/worker/create-worker";
import { installWorkerRuntime } from "../worker-runtime";
import type { SentCall, SentPrompt } from "./outside-world";
import { turnTools } from "./turn-tools";
import type { TurnWorkerSetup } from "./turn-worker";

/** One worker with the suite's tools and a scripted model that tells the world outside each prompt that it gets. */
async function main(setup: TurnWorkerSetup): Promise<void> {
  installWorkerRuntime();
  const connection = await NativeConnection.connect({ address: setup.address });
  const send = async (place: string, body: SentCall | SentPrompt, signal: AbortSignal) => {
    const response = await fetch(setup.url + place, { method: "POST", body: JSON.stringify(body), signal });
    if (!response.ok) throw new Error(`The world outside answers ${response.status}.`);
    return response.json() as Promise<{ answer?: unknown }>;
  };
  const script = scriptedModel(parseScript(JSON.parse(readFileSync(setup.script, "utf8")), setup.script), setup.script);
  const scripted = {
    complete: async (call: ModelCall, options: { signal: AbortSignal }) => {
      const reply = await script.complete(call, options);
      if (setup.latency_ms > 0) await delay(setup.latency_ms, options.signal);
      const parts = [call.system, ...call.messages.map(({ content }) => content)];
      const prompt = { agent: call.agent ?? "", call: call.call, parts, reply: reply.content };
      await send("/prompt", prompt, options.signal);
      return reply;
    },
  };
  const tools = turnTools(JSON.parse(readFileSync(setup.tools, "utf8")), async (call, signal) => {
    const { answer } = await send("/call", { ...call, worker: setup.name }, signal);
    return answer;
  });
  const worker = await createWorker({
    connection,
    namespace: "default",
    taskQueue: setup.taskQueue,
    tools,
    models: createModels({ env: {}, models: { scripted } }),
  });
  // Whoever started us is gone: nobody would end us.
  process.once("disconnect", () => process.exit(0));
  const running = worker.run();
  process.send?.("ready");
  await running;
}

main(JSON.parse(process.argv[2] as string) as TurnWorkerSetup).catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
