import { NavigatorClient } from "../../src/client/client";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { newTask } from "../../src/core/graph/task/task";
import { median } from "../measure";
import type { Setting } from "../setting";
import { check, progress, runsOf, tell } from "./facts";

const GRAPH = {
  id: "round-and-round",
  nodes: {
    start: { type: "start", name: "Start" },
    work: { type: "task", name: "Work" },
    done: { type: "end", result: "success", name: "Done" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "work", on: "passed" },
    { from: "work", to: "done", on: "failed" },
  ],
};

/** One task that comes back to its step again and again. */
export async function manyMoves(setting: Setting, moves: number): Promise<void> {
  const queue = setting.queue("moves");
  const worker = await setting.worker("navigator", queue);
  const client = new NavigatorClient(setting.client, queue);
  const parsed = parseDefinition(GRAPH);
  if (!parsed.ok) throw new Error(parsed.fail.message);
  const { definition } = parsed.value;
  const id = `moves-${Date.now()}`;
  const task = newTask({ id, issueId: id, workflowType: GRAPH.id }, definition, Date.now());
  const handle = await client.startTask({ task, definition, model: "scripted" });
  const times: number[] = [];
  for (let move = 1; move <= moves; move++) {
    const before = performance.now();
    await handle.advance({ result: move === moves ? "failed" : "passed" });
    times.push(performance.now() - before);
    if (move % Math.ceil(moves / 10) === 0) progress(`${move} moves, the last in ${times.at(-1)?.toFixed(0)} ms`);
  }
  const ended = await handle.result();
  await worker.stop();
  tell("a task that comes back to its step", {
    moves,
    "ms a move, the first 100": median(times.slice(0, 100)).toFixed(1),
    "ms a move, the last 100": median(times.slice(-100)).toFixed(1),
    "lines of its history": ended.history.length,
    ...(await runsOf(client, handle.workflow.workflowId)),
  });
  check(ended.status === "COMPLETED", "the task is completed");
}
