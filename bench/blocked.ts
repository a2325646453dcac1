import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { NavigatorClient } from "../src/client/client";
import type { AgentDefinition } from "../src/core/agent/definition/definition";
import { parseAgent } from "../src/core/agent/definition/parse-agent";
import { LOOK, PAY, type PROGRAMS, SUM } from "./blocked-missions";
import type { FromBlockedWorker } from "./blocked-worker";
import { Setting } from "./setting";

/**
 * `npm run bench:blocked`: a slow payment next to missions that compute, on one worker (Linux). It prints the longest time for which the main
 * thread of the worker did not turn, the longest processor time between two turns, and how often the payment was made.
 */
const progress = (line: string) => void process.stderr.write(`${line}\n`);

const TOOLS = {
  payer: [PAY],
  program: [LOOK],
  tool: [{ name: SUM.name, signature: SUM.signature, effect: SUM.effect, timeout_ms: 30_000 }],
};

function agentOf(name: string, tools: readonly object[]): AgentDefinition {
  const parsed = parseAgent({ name, prompt: "Work.", tools });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

async function row(setting: Setting, title: string, agent: "program" | "tool", count: number): Promise<string> {
  const taskQueue = setting.queue(agent);
  const child = fork(path.join(__dirname, "blocked-worker.js"), [setting.address, taskQueue], {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    await once(child, "message");
    const client = new NavigatorClient(setting.client, taskQueue);
    const start = (name: keyof typeof PROGRAMS) =>
      client.startAgent({ agent: agentOf(name, TOOLS[name]), model: "scripted" });
    // The first one loads code.
    await (await start("program")).result();
    child.send("begin");
    const payment = await start("payer");
    const others = await Promise.all(Array.from({ length: count }, () => start(agent)));
    await Promise.all([payment, ...others].map((run) => run.result()));
    child.send("measure");
    const [measured] = (await once(child, "message")) as [Exclude<FromBlockedWorker, "ready">];
    const { calls, longest_gap_ms, longest_cpu_ms } = measured;
    return `${title.padEnd(44)}${Math.round(longest_gap_ms)} ms without a turn, ${Math.round(longest_cpu_ms)} ms of CPU, ${calls} payment(s)`;
  } finally {
    child.kill("SIGKILL");
  }
}

async function main(): Promise<void> {
  const setting = await Setting.open([], progress);
  try {
    process.stdout.write(`${await row(setting, "10 programs that compute", "program", 10)}\n`);
    process.stdout.write(`${await row(setting, "a tool that computes 6 s in the main thread", "tool", 1)}\n`);
  } finally {
    await setting.close();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    progress(`error ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
