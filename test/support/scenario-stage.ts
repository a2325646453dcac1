import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { TemporalStage } from "../../src/testing/on-temporal";
import { testAddress } from "./environment";
import { isRecording, replayAndKeep, runsOf, treeOf } from "./record";
import { quietRuntime } from "./rig";

/** Most of what a scenario takes is waiting: the next ones are begun meanwhile. */
const AHEAD = 3;

/** Of one scenario: the run itself, and an agent's first child. The agents of a plan are runs like any others. */
const MAX_KEPT = { agent: 2, plan: 1 };

/** The scenario files of one folder, run on Temporal with a worker of the test file's own. */
export interface ScenarioStage<T> {
  files: string[];
  pathOf(file: string): string;
  onTemporal(file: string): Promise<T>;
}

/**
 * @param folder below test
 * @param kind first part of the workflow ids, and of the names of recordings
 * @param recorded names of the scenarios whose histories are kept (see record.ts)
 * @param runOn one scenario on the stage, by the path of its file
 */
export function useScenarioStage<T>(
  folder: string,
  kind: "agent" | "plan",
  recorded: readonly string[],
  runOn: (stage: TemporalStage, file: string, id: string) => Promise<T>,
): ScenarioStage<T> {
  const pathOf = (file: string) => path.join(__dirname, "..", folder, file);
  const files = readdirSync(pathOf("")).filter((file) => file.endsWith(".yaml"));
  const started = new Map<string, Promise<T>>();
  let connection: Connection;
  let native: NativeConnection;
  let stage: TemporalStage;
  let temporal: Client;
  const run = async (file: string): Promise<T> => {
    const id = randomUUID();
    const answer = await runOn(stage, pathOf(file), id);
    const name = path.basename(file, ".yaml");
    // replay.test.ts replays what was recorded.
    if (isRecording && recorded.includes(name))
      await replayAndKeep(
        `${kind}-${name}`,
        (await runsOf(temporal, await treeOf(temporal, `${kind}/${id}`))).slice(0, MAX_KEPT[kind]),
      );
    return answer;
  };

  beforeAll(async () => {
    quietRuntime();
    const address = testAddress();
    [connection, native] = await Promise.all([Connection.connect({ address }), NativeConnection.connect({ address })]);
    await ensureSearchAttributes(connection, "default");
    temporal = new Client({ connection });
    stage = await TemporalStage.open({
      temporal,
      native,
      namespace: "default",
      overrides: { workflowBundle: { codePath: process.env.NAVIGATOR_TEST_BUNDLE as string } },
    });
  });
  afterAll(async () => {
    await Promise.allSettled(started.values());
    await stage.close();
    await native.close();
    await connection.close();
  });

  return {
    files,
    pathOf,
    onTemporal: async (file) => {
      const at = files.indexOf(file);
      for (const next of files.slice(at, at + 1 + AHEAD))
        if (!started.has(next)) {
          started.set(next, run(next));
          // Its own test tells.
          started.get(next)?.catch(() => undefined);
        }
      return started.get(file) as Promise<T>;
    },
  };
}
