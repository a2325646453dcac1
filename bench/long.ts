import { parseArgs } from "node:util";
import { DefaultLogger, Runtime } from "@temporalio/worker";
import { manyCalls } from "./long/calls";
import { allHold, progress } from "./long/facts";
import { FLOODED, flood, floodWhileAgentsWork } from "./long/flood";
import { manyMoves } from "./long/moves";
import { manyParked } from "./long/parked";
import { manyTasks } from "./long/plan";
import { Setting } from "./setting";

const HELP = `Usage: npm run bench:long -- [options]

Shows on a server of its own that long runs stay within the server's limits: one program with very many calls, a task with
very many moves, a plan with very many tasks, very many missions that wait for a person on one worker, and a parked run
that is flooded with signals, and whose worker is killed in the middle. Each run of a chain must stay below 10,000 events and 10 MB, no effect may happen twice, and a person's
decision in the middle of the flood is taken.

  --calls <n>     calls of the program, half of them effects, half of them reads; default 20000, 0 = none
  --parallel <n>  branches of its pmap at once; default 50
  --moves <n>     moves of the task; default 3000, 0 = none
  --tasks <n>     tasks of the plan; default 2000, 0 = none
  --parked <n>    missions that wait, on one worker; default 2000, 0 = none
  --cached <n>    of them in the worker's memory; default 500
  --signals <n>   refused signals; default 100000, 0 = none
  --held <n>      refused signals to a task whose agent waits; default 20000, 0 = none
  --senders <n>   signals that are sent at once; default 20
  --help
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      calls: { type: "string", default: "20000" },
      parallel: { type: "string", default: "50" },
      moves: { type: "string", default: "3000" },
      tasks: { type: "string", default: "2000" },
      parked: { type: "string", default: "2000" },
      cached: { type: "string", default: "500" },
      signals: { type: "string", default: "100000" },
      held: { type: "string", default: "20000" },
      senders: { type: "string", default: "20" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { logging: { forward: {}, filter: { core: "ERROR", other: "ERROR" } } },
  });
  const { help: _, ...texts } = values;
  const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));
  const { calls, parallel, moves, tasks, parked, cached, signals, held, senders } = numbers as {
    [name in keyof typeof texts]: number;
  };
  const setting = await Setting.open(FLOODED, progress);
  try {
    if (calls > 0) await manyCalls(setting, calls, parallel);
    if (moves > 0) await manyMoves(setting, moves);
    if (tasks > 0) await manyTasks(setting, tasks);
    if (parked > 0) await manyParked(setting, parked, cached);
    if (signals > 0) await flood(setting, signals, senders);
    if (held > 0) await floodWhileAgentsWork(setting, held, senders);
  } finally {
    await setting.close();
  }
}

main().then(
  () => process.exit(allHold() ? 0 : 1),
  (error: unknown) => {
    progress(`error ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  },
);
