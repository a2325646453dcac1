// The same chain and the same agent on LangGraph.js with its SQLite checkpointer: no server, one process, a
// checkpoint after every node. Prints one JSON line for each row: {row, ms}.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const rounds = Number(process.argv[2] ?? 5);
const State = Annotation.Root({
  n: Annotation(),
  replies: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

function chain(steps, checkpointer) {
  const graph = new StateGraph(State);
  const name = (i) => `step_${i}`;
  for (let i = 1; i <= steps; i++) graph.addNode(name(i), async () => ({ n: i }));
  graph.addEdge(START, name(1));
  for (let i = 1; i < steps; i++) graph.addEdge(name(i), name(i + 1));
  graph.addEdge(name(steps), END);
  return graph.compile({ checkpointer });
}

function agent(turns, checkpointer) {
  const graph = new StateGraph(State);
  graph.addNode("model", async (state) => ({ replies: [`reply ${state.replies.length + 1}`] }));
  graph.addNode("tool", async (state) => ({ n: state.replies.length }));
  graph.addEdge(START, "model");
  graph.addEdge("model", "tool");
  graph.addConditionalEdges("tool", (state) => (state.replies.length < turns ? "model" : END));
  return graph.compile({ checkpointer });
}

async function timed(row, make) {
  const times = [];
  for (let round = 0; round <= rounds; round++) {
    const dir = mkdtempSync(path.join(tmpdir(), "navigator-bench-"));
    const app = make(SqliteSaver.fromConnString(path.join(dir, "checkpoints.db")));
    const start = performance.now();
    await app.invoke({ n: 0, replies: [] }, { configurable: { thread_id: `t${round}` }, recursionLimit: 500 });
    if (round > 0) times.push(performance.now() - start);
    rmSync(dir, { recursive: true, force: true });
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ row, ms: times[Math.floor(times.length / 2)] }));
}

await timed("chain", (saver) => chain(20, saver));
await timed("agent", (saver) => agent(5, saver));
