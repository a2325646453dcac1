import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Json } from "../../core/base/json";
import { decodeMemory, LispError, startProgram } from "../../core/lisp";
import { journalOver, memoryJson, outcomeJson } from "../../simulate/lisp-batch";
import type { FromThread, ProgramJob, ProgramOutcome, ToThread } from "./program-job";

/**
 * A program within its limits may compute for a second: here it does so without keeping the server from its other requests, and
 * here it can be ended. Its tools are in the server's thread.
 */
async function run(job: ProgramJob, port: MessagePort): Promise<ProgramOutcome> {
  const { source, data, memory, tools, signature, limits } = job;
  const journal = job.journal === null ? null : new Map<string, Json>(Object.entries(job.journal));
  const program = startProgram({
    source,
    data,
    memory: decodeMemory(memory),
    tools: new Map(tools.map(({ name, cache }) => [name, cache ? { cache } : {}])),
    journal: journal && journalOver(journal),
    history: [],
    budget: {},
    tool_cache: new Map(),
    limits,
    now: Date.now,
  });
  for (;;) {
    const state = program.run();
    if (state.state === "waiting") {
      for (const { id, answer } of await answered(port, { calls: state.requests })) program.resume(id, answer);
      continue;
    }
    const { end } = state;
    const outcome = outcomeJson(end, signature);
    const isKept = outcome.fail === undefined || end.outcome.kind === "fail";
    return {
      ...outcome,
      prints: end.prints,
      memory: isKept ? memoryJson(end.memory) : memory,
      ...(journal && { journal: Object.fromEntries(journal) }),
      warnings: end.warnings,
      steps: end.steps,
    };
  }
}

function answered(port: MessagePort, calls: FromThread): Promise<ToThread> {
  return new Promise((resolve) => {
    port.once("message", resolve);
    port.postMessage(calls);
  });
}

const job = workerData as ProgramJob;
const port = parentPort as MessagePort;
void run(job, port)
  .catch((error: unknown): ProgramOutcome => {
    if (!(error instanceof LispError)) throw error;
    return { fail: error.toFailure(), prints: [], memory: job.memory, warnings: [], steps: 0 };
  })
  .then((end) => port.postMessage({ end } satisfies FromThread));
