import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { toolChain, turns } from "../missions";
import { besideSources } from "../peers";
import type { Row } from "../report";
import type { Comparison, Context } from "./context";
import { pair } from "./pair";

const chain20 = toolChain(20, "touch");
const agent5 = turns(5);
const AGAINST = "LangGraph.js, SQLite";
const INSTALL_LIMIT_MS = 180_000;

/** The peer without a server, for honesty: one process, no second worker, checkpoints in a file of its own. */
export const langGraph: Comparison = {
  name: "langgraph",
  about: "the chain and the agent on LangGraph.js with its SQLite checkpointer",
  slow: true,
  missions: [chain20, agent5],
  async run(context) {
    const rounds = context.quick ? 3 : 5;
    const peer = await runPeer(context, rounds);
    if ("problem" in peer) context.progress(`  LangGraph.js is not measured: ${peer.problem}`);
    const row = async (what: string, mission: typeof chain20, key: string): Promise<Row> => ({
      what,
      unit: "ms",
      ours: (await pair(context, mission, { rounds })).ours.ms,
      theirs: "problem" in peer ? null : (peer.ms.get(key) ?? null),
      against: AGAINST,
      ...("problem" in peer ? { note: "LangGraph.js: not installed" } : {}),
    });
    return [await row("chain of 20", chain20, "chain"), await row("agent of 5 turns", agent5, "agent")];
  },
};

async function runPeer(context: Context, rounds: number): Promise<{ ms: Map<string, number> } | { problem: string }> {
  const folder = besideSources("langgraph");
  if (folder === undefined) return { problem: "its folder bench/peers/langgraph is not in this installation" };
  try {
    if (!existsSync(path.join(folder, "node_modules", ".package-lock.json"))) {
      context.progress("  Installing LangGraph.js (npm ci in bench/peers/langgraph) ...");
      await npm(["ci", "--no-audit", "--no-fund"], folder);
    }
    const { stdout } = await promisify(execFile)(process.execPath, ["chain.mjs", String(rounds)], { cwd: folder });
    const lines = stdout.trim().split("\n");
    return { ms: new Map(lines.map((line) => JSON.parse(line)).map(({ row, ms }) => [row, ms])) };
  } catch (error) {
    return { problem: problemOf(error as Error & { stderr?: string }) };
  }
}

/** npm tells much, addresses and log files included; its code says what a person needs. */
function problemOf({ message, stderr = "" }: Error & { stderr?: string }): string {
  const code = /^npm error code (\S+)/m.exec(stderr)?.[1];
  if (code) return `npm ci failed with ${code}; run it in bench/peers/langgraph to see why`;
  return stderr.trim().split("\n").at(-1) || message;
}

/** Scripts of packages are needed here: SQLite is native code. */
function npm(args: string[], cwd: string): Promise<unknown> {
  const script = process.env.npm_execpath;
  const [command, ...before] = script ? [process.execPath, script] : ["npm"];
  return promisify(execFile)(command as string, [...before, ...args], { cwd, timeout: INSTALL_LIMIT_MS });
}
