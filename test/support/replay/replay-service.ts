import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { bundleWorkflowCode, DefaultLogger, type InjectedSinks } from "@temporalio/worker";
import { quietRuntime } from "../../../src/testing/quiet";
import {
  type OwnView,
  onMessages,
  type ReplayAnswer,
  type ReplayRequest,
  replaySockets,
  sendMessage,
} from "./replay-messages";
import { ReplayWorker } from "./replay-worker";
import type { ViewSinks } from "./view-probe";

/** Replays what test files send (replay-client.ts), one history after another, until the process that started it goes away. */

const root = path.join(__dirname, "../../..");
const bundle = process.env.NAVIGATOR_TEST_BUNDLE as string;

let views: OwnView[] = [];

const sinks: InjectedSinks<ViewSinks> = {
  view: {
    answered: {
      fn: (_info, seen, answers) => void views.push({ seen, ...answers }),
      callDuringReplay: true,
    },
  },
};

/** The shipped code with the probe inside. To bundle it takes longer than most tests: it is kept for the same code and probe. */
async function probedBundle(): Promise<string> {
  const probe = path.join(__dirname, "view-probe.ts");
  const hash = createHash("sha256");
  for (const file of [bundle, probe, __filename]) hash.update(readFileSync(file));
  const kept = path.join(root, "node_modules", ".cache", "navigator-probed", `${hash.digest("hex").slice(0, 16)}.js`);
  if (existsSync(kept)) return kept;
  const dist = path.dirname(bundle);
  const workflowsPath = path.join(dist, "workflows", "index.js");
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [probe],
    // As scripts/build.mjs does: all runs share one copy of the code.
    preloadModules: [
      path.join(dist, "node", "sdk-internals", "promise-stacks.js"),
      path.join(dist, "core", "base", "zod-first-use.js"),
      workflowsPath,
    ],
    webpackConfigHook: (config) => ({ ...config, optimization: { ...config.optimization, sideEffects: false } }),
    logger: new DefaultLogger("ERROR"),
  });
  mkdirSync(path.dirname(kept), { recursive: true });
  const made = `${kept}.${process.pid}`;
  writeFileSync(made, code);
  renameSync(made, kept);
  return kept;
}

quietRuntime();
const workers: { [code in ReplayRequest["code"]]?: Promise<ReplayWorker> } = {};
const open = {
  shipped: async () => new ReplayWorker({ workflowBundle: { codePath: bundle } }),
  probed: async () => new ReplayWorker({ workflowBundle: { codePath: await probedBundle() }, sinks }),
};

async function answer({ code, history }: ReplayRequest): Promise<ReplayAnswer> {
  views = [];
  workers[code] ??= open[code]();
  const error = await (await workers[code]).replay(history);
  if (error === undefined) return { views };
  const { name, message, stack } = error;
  return { error: { name, message, ...(stack === undefined ? {} : { stack }) }, views };
}

let last: Promise<unknown> = Promise.resolve();
createServer((socket) => {
  socket.on("error", () => {});
  onMessages<ReplayRequest>(socket, (request) => {
    // One after another: the probe does not know whose history it sees.
    last = last
      .then(() => answer(request))
      .then(
        (said) => sendMessage(socket, said),
        // No replay at all: whoever waits learns it from the end of this process.
        (error) => {
          process.stderr.write(`${error.stack}\n`);
          process.exit(1);
        },
      );
  });
}).listen(replaySockets().service, () => process.send?.("ready"));
process.once("disconnect", () => process.exit(0));
