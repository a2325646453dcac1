import { costReport } from "../../src/client/costs/cost-report";
import { addedUsage, usageOfReply } from "../../src/core/agent/budget/mission-usage";

const reply = (model: string, total_cost: number) => usageOfReply({ input: 10, output: 1, total_cost }, model);

test("answers whose model nobody told are a row of their own", () => {
  const usage = addedUsage(reply("a", 1), usageOfReply({ input: 5, output: 0, total_cost: 2 }, undefined));
  const mission = {
    workflow_id: "agent/x",
    run_id: "r",
    kind: "agent",
    name: "x",
    started_at: 0,
    is_running: false,
  } as const;
  const { rows, unknown } = costReport(
    [
      { ...mission, usage },
      { ...mission, usage: null },
    ],
    "model",
    "UTC",
  );
  expect(rows).toMatchObject([
    { key: "", cost: 2, turns: 1, input_tokens: 5 },
    { key: "a", cost: 1, turns: 1 },
  ]);
  expect(unknown).toBe(1);
});

test("a day begins in the zone of the reader", () => {
  const mission = { workflow_id: "agent/x", run_id: "r", kind: "agent", name: "x", is_running: false } as const;
  const late = { ...mission, started_at: Date.UTC(2026, 10, 24, 23, 30), usage: reply("a", 1) };
  const dayIn = (zone: string) => costReport([late], "day", zone).rows.map(({ key }) => key);
  expect(dayIn("UTC")).toEqual(["2026-11-24"]);
  expect(dayIn("Europe/Rome")).toEqual(["2026-11-25"]);
});
