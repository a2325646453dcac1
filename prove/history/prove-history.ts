import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { agentWorkflowId } from "../../src/core/base/ids";
import type { Json } from "../../src/core/base/json";
import type { MissionRun } from "../../src/testing/mission";
import { Stage } from "../../src/testing/stage";
import type { Proof } from "../frame/proof";
import { shrink, smallerNumbers } from "../frame/shrink";
import { type Growth, growthFaults, measureGrowth } from "./growth";
import type { HISTORY_SIZES } from "./sizes";
import { makeTalk, TALKS } from "./talk";

export interface HistoryOptions {
  /** What is measured of a mission's histories; tests give histories that are longer than they were. */
  histories?: (exported: Json[]) => Json[];
}

/** A mission that is shrunk has at least as many calls: the first ones of any mission are much like each other. */
const LEAST_CALLS = 8;
/** Each try is a whole mission. */
const SHRINK_TRIES = 6;

/**
 * Runs missions with many model calls on the server, one of each kind, and measures their histories: each text of the
 * conversation is in them a fixed number of times, however long the mission is.
 */
export const proveHistory =
  ({ histories = (exported) => exported }: HistoryOptions = {}): Proof<typeof HISTORY_SIZES> =>
  async (context) => {
    const server = context.server();
    const stage = await Stage.open(server);
    const connection = await Connection.connect({ address: server.address });
    const client = new NavigatorClient(new Client({ connection, namespace: server.namespace }), "prove-history");
    const figures = {
      missions: 0,
      model_calls: 0,
      runs: 0,
      events: 0,
      history_bytes: 0,
      new_text_bytes: 0,
      most_copies: 0,
    };

    const play = async (
      index: number,
      calls: number,
    ): Promise<{ growth: Growth; newText: number; faults: string[] }> => {
      const talk = makeTalk(TALKS[index % TALKS.length] as string, calls, context.random(index));
      const id = `prove-history-${randomUUID()}`;
      const run = await stage.run(talk.agent, { ...talk.mission, id });
      const growth = measureGrowth(histories(await client.runs(agentWorkflowId(id, client.project))), talk.marks);
      const newText = newTextOf(run);
      const faults = growthFaults(growth, newText, talk.repeats);
      if (run.step.fail) faults.push(`the mission failed: ${run.step.fail.message}`);
      return { growth, newText, faults };
    };

    try {
      for (const index of context.cases(TALKS.length)) {
        const { calls } = context.sizes;
        const { growth, newText, faults } = await play(index, calls);
        figures.missions += 1;
        figures.model_calls += calls;
        figures.runs += growth.runs;
        figures.events += growth.events;
        figures.history_bytes += growth.bytes;
        figures.new_text_bytes += newText;
        figures.most_copies = Math.max(figures.most_copies, ...growth.copies);
        if (faults.length === 0) continue;
        const fails = async (fewer: number) => (await play(index, fewer)).faults.length > 0;
        const least = await shrink(calls, (value) => smallerNumbers(value, LEAST_CALLS), fails, SHRINK_TRIES);
        const kind = TALKS[index % TALKS.length] as string;
        context.violation({
          what: faults.join("; "),
          where: `mission ${index} (${kind})`,
          case: index,
          smallest: { kind, calls: least },
        });
      }
    } finally {
      await stage.close();
      await connection.close();
    }
    return figures;
  };

/** Bytes of all texts: the first prompt, each later message once, and the calls of tools with their answers. */
function newTextOf({ messages, effects }: MissionRun): number {
  const once = messages.filter(({ role }, index) => role !== "system" || index === 0);
  const texts = [...once, ...effects.map(({ args, result = null }) => ({ args, result }))];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
}
