import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { IllegalStateError } from "@temporalio/common";
import { Runtime } from "@temporalio/worker";
import { run as runCommand } from "../../src/cli/main";
import type { CommandIo } from "../../src/cli/terminal/io";
import { keepWorkflowThreads } from "../../src/node/sdk-internals/workflow-thread";
import { type CliEnd, temporaryFolder, testAddress } from "./environment";
import { newNamespace } from "./namespace";

const MAIN = path.join(__dirname, "..", "..", "dist", "cli", "main.js");

/** Ways to run one command line. */
export interface Commands {
  run(args: string[], options?: RunOptions): Promise<CliEnd>;
  /** The same with --json: exit code as given (0), one JSON document on stdout. */
  json(args: string[], options?: RunOptions & { code?: number }): Promise<Answer>;
  /** A refusal with --json: nothing on stdout, the error as data. */
  refused(args: string[], options?: RunOptions & { code?: number }): Promise<RefusedError>;
}

/**
 * A folder, a namespace and a task queue of its own: where one test file uses the built command, a process for each call. No
 * other file sees its workflows, and their ids are free.
 */
export interface Place extends Commands {
  folder: string;
  /** Of its own, unless the environment names one, or another server. */
  namespace: string;
  /** Writes a file below the folder, and gives its path. A value that is no text is written as JSON. */
  write(name: string, content: unknown): string;
  /**
   * The same commands in this process (`cliHere`), one after another: for cases about what a command answers, where it is
   * not the point that a process ends. A call with `input` is a process. From here on until `close`, this process has the
   * folder and the settings of the place.
   */
  here(): Commands;
  /** A command that goes on until it is stopped. */
  start(args: string[]): ChildProcess;
  /** `navigator worker` in this place, ready to work. */
  startWorker(args?: string[]): Promise<WorkerProcess>;
  /** The worker of `navigator worker` in this process, where it is not the point that it is one of its own. */
  worker(): Promise<{ stop(): Promise<void> }>;
  close(): void;
}

/** A worker that is ready. */
export interface WorkerProcess {
  pid: number;
  /** The address of `--health-port`; null without it. */
  health: string | null;
  /** Sends SIGTERM, unless it has ended. @returns its exit code */
  stop(): Promise<number | null>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape, and fails where it is not as it says
export type Answer = any;

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  input?: string;
}

export interface RefusedError {
  code: string;
  message: string;
  hint?: string;
  details?: Answer;
}

export async function openPlace(name: string, env: NodeJS.ProcessEnv = {}): Promise<Place> {
  const isElsewhere = env.TEMPORAL_ADDRESS !== undefined;
  const namespace = env.TEMPORAL_NAMESPACE ?? (isElsewhere ? "default" : await newNamespace());
  const folder = temporaryFolder(name);
  const own = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...(isElsewhere ? {} : { TEMPORAL_ADDRESS: testAddress() }),
    TEMPORAL_NAMESPACE: namespace,
    NAVIGATOR_HOME: path.join(folder.path, ".navigator"),
    NAVIGATOR_IDENTITY: path.join(folder.path, ".identity"),
    // Its tests name whole ids. projects.test.ts has the names that projects get.
    NAVIGATOR_PROJECT: "none",
    NAVIGATOR_TASK_QUEUE: `cli-${randomUUID()}`,
    ...env,
  };
  const start = (args: string[], extra: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, [MAIN, ...args], { env: { ...own, ...extra }, cwd: folder.path });

  const run: Commands["run"] = (args, options = {}) => {
    const child = start(args, options.env);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdin.on("error", () => {}); // it ended without reading
    child.stdin.end(options.input ?? "");
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, stdout, stderr }));
    });
  };

  // The log of a command in this process goes to its stderr.
  const settings = { NAVIGATOR_LOG_LEVEL: "error", ...own };
  const enterHere = () => {
    keepWorkflowThreads();
    shareRuntime();
    enter(folder.path, settings);
  };
  const here = (): Commands => {
    enterHere();
    return commandsOf((args, { env, input } = {}) => {
      if (input !== undefined) return run(args, { ...(env && { env }), input });
      enter(folder.path, settings);
      return cliHere(args, env);
    });
  };

  return {
    ...commandsOf(run),
    here,
    start,
    folder: folder.path,
    namespace,
    write: (file, content) => {
      const target = path.join(folder.path, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return target;
    },
    worker: async () => {
      enterHere();
      const { openWorker } = await import("../../src/cli/session/worker-session");
      const session = await openWorker({ err: () => {} } as unknown as CommandIo, { start: false });
      const running = session.run();
      const stop = () => {
        if (session.worker.getState() === "RUNNING") session.worker.shutdown();
        return running;
      };
      return { stop };
    },
    startWorker: async (args = []) => {
      const child = start(["worker", "--json", ...args]);
      let said = "";
      child.stderr.on("data", (chunk) => {
        said += chunk;
      });
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      const { health } = await new Promise<{ health: string | null }>((resolve, reject) => {
        createInterface({ input: child.stdout }).on(
          "line",
          (line) => line.includes("worker_ready") && resolve(JSON.parse(line)),
        );
        ended.then((code) => reject(new Error(`The worker ended with ${code}: ${said}`)));
      });
      const stop = () => {
        if (child.exitCode === null) child.kill("SIGTERM");
        return ended;
      };
      return { pid: child.pid as number, health, stop };
    },
    close: () => {
      leave(folder.path);
      folder.remove();
    },
  };
}

/**
 * Each command installs a runtime of the SDK with its own log. A process has one runtime: where a worker or a connection still uses it, the
 * command shares it.
 */
function shareRuntime(): void {
  const runtime = Runtime as typeof Runtime & { isShared?: true };
  if (runtime.isShared) return;
  const install = Runtime.install.bind(Runtime);
  runtime.isShared = true;
  runtime.install = (options) => {
    try {
      return install(options);
    } catch (error) {
      if (error instanceof IllegalStateError) return Runtime.instance();
      throw error;
    }
  };
}

/** The place whose folder and settings this process has, and how it gets its own back. */
let entered: { folder: string; leave(): void } | undefined;

function enter(folder: string, settings: NodeJS.ProcessEnv): void {
  if (entered?.folder === folder) return;
  entered?.leave();
  const [before, takeBack] = [process.cwd(), setEnv(settings)];
  process.chdir(folder);
  const back = () => {
    process.chdir(before);
    takeBack();
  };
  entered = { folder, leave: back };
}

function leave(folder: string): void {
  if (entered?.folder !== folder) return;
  entered.leave();
  entered = undefined;
}

function commandsOf(run: Commands["run"]): Commands {
  return {
    run,
    json: async (args, { code = 0, ...options } = {}) => {
      const end = await run([...args, "--json"], options);
      if (end.code !== code) throw new Error(`exit code ${end.code}, not ${code}: ${args.join(" ")}\n${end.stderr}`);
      return JSON.parse(end.stdout);
    },
    refused: async (args, { code = 2, ...options } = {}) => {
      const end = await run([...args, "--json"], options);
      expect({ code: end.code, stdout: end.stdout, args }).toEqual({ code, stdout: "", args });
      return (JSON.parse(end.stderr) as { error: RefusedError }).error;
    },
  };
}

/** A project in the place: agents that charge and ask, tools that note every call in `calls.log`, a small graph. */
export function writeProject(place: Place): void {
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const { appendFileSync } = require("node:fs");
     const note = (name) => (args, call) => {
       appendFileSync(__dirname + "/calls.log", name + " " + call.idempotencyKey + "\\n");
       return { tx: "tx_" + args.order_id };
     };
     module.exports = {
       agents: "./agents",
       script: "./script.json",
       tools: [defineTool({ name: "charge_card", signature: "(order_id :int) -> {tx :string}", run: note("charge_card") })],
     };`,
  );
  place.write(
    "agents/charge.yaml",
    `description: Charges an order.
prompt: Charge order {{order_id}}.
signature: "(order_id :int) -> {outcome :string, tx :string?}"
tools: [charge_card]
plan: [[charge, Charge the card]]
`,
  );
  place.write(
    "agents/asks.yaml",
    `prompt: Ask whether order {{order_id}} was paid.
signature: "(order_id :int) -> {status :string}"
plan: [[load, Load the order], [pay, Have the payment confirmed]]
`,
  );
  place.write("agents/fails.yaml", "prompt: Fail.\n");
  place.write("script.json", {
    charge: [
      program(`(def charge (task (str "charge_order_" data/order_id) (tool/charge_card {:order_id data/order_id})))
               (step-done "charge" (str "transaction " (:tx charge)))
               (return {:outcome "passed" :tx (:tx charge)})`),
    ],
    asks: [
      { if_contains: "[done] payment_confirmed", content: program('(return {:status "shipped"})') },
      {
        if_missing: "[done] payment_confirmed",
        content: program(
          '(task "load_order" {:total 12}) (step-done "load" "total 12") (return {:status "waiting" :for "payment"})',
        ),
      },
    ],
    fails: [program('(fail {:reason "no_luck" :message "It was not to be."})')],
  });
  place.write("graph.json", GRAPH);
}

export const program = (source: string): string => `\`\`\`clojure\n${source}\n\`\`\``;

const GRAPH = {
  id: "order",
  name: "An order",
  nodes: {
    start: { type: "start" },
    charge: { type: "task", name: "Charge the card", agent: "charge" },
    approval: { type: "gate", name: "Release it?", description: "Look at the order." },
    pack: { type: "task", name: "Pack it" },
    done: { type: "end", result: "success" },
    rejected: { type: "end", result: "cancelled" },
  },
  edges: [
    { from: "start", to: "charge" },
    { from: "charge", to: "approval", on: "passed" },
    { from: "charge", to: "rejected", on: "failed" },
    { from: "approval", to: "pack", on: "passed" },
    { from: "approval", to: "rejected", on: "failed" },
    { from: "pack", to: "done" },
  ],
};

/**
 * Runs a command line in this process: no time is spent on starting another. The settings are those of the environment of this
 * process, and `env`.
 */
export async function cliHere(args: string[], env: NodeJS.ProcessEnv = {}): Promise<CliEnd> {
  const takeBack = setEnv(env);
  try {
    return await commandHere(args);
  } finally {
    takeBack();
  }
}

async function commandHere(args: string[]): Promise<CliEnd> {
  let [stdout, stderr] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  };
  const before = process.exitCode;
  process.exitCode = undefined;
  // The option --project sets it.
  const { NAVIGATOR_PROJECT = "none" } = process.env;
  try {
    return { code: await runCommand(args, streams, process.env), stdout, stderr };
  } finally {
    process.exitCode = before;
    process.env.NAVIGATOR_PROJECT = NAVIGATOR_PROJECT;
  }
}

/**
 * `cliHere` as on a machine of its own: no server, namespace or project of this process counts. `PWD` is its folder.
 */
export async function cliAlone(args: string[], { PWD, ...env }: NodeJS.ProcessEnv = {}): Promise<CliEnd> {
  const before = process.cwd();
  if (PWD !== undefined) process.chdir(PWD);
  try {
    const none = { TEMPORAL_ADDRESS: undefined, TEMPORAL_NAMESPACE: undefined, NAVIGATOR_TASK_QUEUE: undefined };
    return await cliHere(args, { ...none, NAVIGATOR_PROJECT: undefined, ...env });
  } finally {
    process.chdir(before);
  }
}

/** Sets variables of the environment (undefined: takes one away), and gives what takes them back. */
export function setEnv(variables: NodeJS.ProcessEnv): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(variables)) set(name, value);
  return () => {
    for (const [name, value] of before) set(name, value);
  };
}
