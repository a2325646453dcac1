import { defineProof } from "../../../prove/frame/proof";
import { runProof } from "../../../prove/frame/run-proof";
import { historyProof } from "../../../prove/history/definition";
import { proveHistory } from "../../../prove/history/prove-history";
import type { Json } from "../../../src/core/base/json";
import { testAddress } from "../../support/environment";

const prove = (calls: number, options: Parameters<typeof proveHistory>[0], only: number | null = null) =>
  runProof(defineProof({ ...historyProof, load: async () => proveHistory(options) }), {
    seed: 3,
    only,
    sizes: { calls: String(calls) },
    connect: async () => ({ address: testAddress(), namespace: "default" }),
  });

test("texts are in a history a fixed number of times, whatever a mission says", async () => {
  const report = await prove(12, {});
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({ missions: 6, model_calls: 72, runs: 6 });
  expect(report.figures.most_copies).toBeGreaterThan(1);
});

test("a history that carries the whole conversation in each call is found, with the fewest calls that show it", async () => {
  const report = await prove(60, { histories: (runs) => runs.map(withWholeConversations) }, 0);
  const [found] = report.violations;
  expect(found).toMatchObject({
    what: expect.stringMatching(/is \d+ times in the history, of at most 30/),
    where: "mission 0 (prints)",
    command: "navigator prove history --seed 3 --calls 60 --case 0",
  });
  expect(found?.smallest).toMatchObject({ kind: "prints" });
  expect((found?.smallest as { calls?: number } | undefined)?.calls).toBeLessThan(60);
});

/** Each model call gets what all calls before it got, as if no difference was made. */
function withWholeConversations(history: Json): Json {
  const sent: Json[] = [];
  const { events } = history as { events: { eventType: string; activityTaskScheduledEventAttributes?: Json }[] };
  return {
    events: events.map((event) => {
      if (event.eventType !== "EVENT_TYPE_ACTIVITY_TASK_SCHEDULED") return event;
      sent.push(event.activityTaskScheduledEventAttributes as Json);
      return { ...event, all: [...sent] };
    }) as unknown as Json,
  };
}
