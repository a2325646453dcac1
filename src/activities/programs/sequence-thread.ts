import { type MessagePort, parentPort } from "node:worker_threads";
import { type CallOutcome, runSequence } from "../../core/agent/sequence/sequence-host";
import type { FromSequenceThread, ToSequenceThread } from "./sequence-threads";

/** Runs programs for the activities of a worker. The calls are made in the main thread. */
const port = parentPort as MessagePort;
const post = (message: FromSequenceThread): void => port.postMessage(message);
/** By sequence: receives the outcome of the call that the program waits for. */
const waiting = new Map<number, (outcome: CallOutcome) => void>();

port.on("message", (message: ToSequenceThread) => {
  if ("outcome" in message) return waiting.get(message.id)?.(message.outcome);
  void run(message);
});

async function run({ id, given, earlier, reply }: Extract<ToSequenceThread, { given: unknown }>): Promise<void> {
  const make = (...call: Parameters<Parameters<typeof runSequence>[1]["make"]>) =>
    new Promise<CallOutcome>((resolve) => {
      waiting.set(id, resolve);
      post({ id, call });
    });
  try {
    post({ id, result: await runSequence(given, { earlier, make }, reply) });
  } catch (error) {
    post({ id, error: error instanceof Error ? error : new Error(String(error)) });
  } finally {
    waiting.delete(id);
  }
}
