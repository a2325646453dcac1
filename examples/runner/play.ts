import { randomUUID } from "node:crypto";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { modelOf } from "../../src/cli/input/model-name";
import { EXIT, type ExitCode } from "../../src/cli/terminal/exit";
import type { CommandIo } from "../../src/cli/terminal/io";
import { NavigatorClient } from "../../src/client/client";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { loadConfig } from "../../src/node/settings";
import { loadProject } from "../../src/project/load";
import { loadModule } from "../../src/project/load-module";
import { openServer } from "../../src/server/open-server";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { effectsText } from "./print";
import { type Ended, Stage } from "./stage";

/** What an example's `start.cjs` exports. */
export interface Example {
  about: string;
  /** Plays it through; what it gives is counted by the services it started. */
  play(stage: Stage): Promise<Played>;
}

export interface Played {
  /** What really happened outside, by kind. */
  effects: { [kind: string]: number };
  /** Anything else worth knowing, for machines. */
  facts?: { [name: string]: unknown };
}

/** Plays one example from the server to the last count; ends all that it started. */
export async function playExample(io: CommandIo, folder: string, yes: boolean): Promise<ExitCode> {
  const example = (await loadModule(path.join(folder, "start.cjs"))) as Example;
  const config = loadConfig();
  const project = await loadProject(folder);
  const model = modelOf({ config }, project.models, true);
  const name = path.basename(folder);
  io.err(`${example.about}\n`);
  io.err(
    model === "scripted"
      ? "Model: scripted (its answers are in the example's script; NAVIGATOR_MODEL=provider/model asks a real one)"
      : `Model: ${model}`,
  );
  const server = await openServer(config, { start: true, progress: (line) => io.err(line) });
  const connection = await Connection.connect({ ...config.temporal.connectionOptions, address: server.address });
  // A separate queue: a worker that happens to run for another project must not take the example's work.
  const taskQueue = `example-${name}-${randomUUID().slice(0, 8)}`;
  const temporal = new Client({ connection, namespace: server.namespace });
  const env = { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace };
  const stage = new Stage({ io, folder, project, model, yes, env, client: new NavigatorClient(temporal, taskQueue) });
  try {
    await ensureSearchAttributes(connection, server.namespace);
    const { effects, facts = {} } = await Promise.race([example.play(stage), interruption()]);
    io.result({ example: name, model, effects, ...facts, runs: stage.ended.map(essence) }, () =>
      effectsText(effects, io.color),
    );
    return stage.ended.every(({ step }) => step.fail === null) ? EXIT.done : EXIT.failed;
  } finally {
    await stage.end();
    await connection.close();
    await server.stop();
  }
}

/** Ctrl-C: what was started is ended all the same. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new NavigatorError("interrupted", "Stopped before the end.", { exitCode: EXIT.failed }));
    process.once("SIGINT", stop).once("SIGTERM", stop);
  });
}

const essence = ({ workflow_id, step, mission_log, reviews }: Ended) => ({
  workflow_id,
  return: step.return,
  fail: step.fail,
  journal: step.journal,
  turns: step.usage?.turns ?? 0,
  tokens: step.usage?.total_tokens ?? 0,
  mission_log,
  reviews: reviews.map(({ id, title, status, decision, votes }) => ({ id, title, status, decision, votes })),
});
