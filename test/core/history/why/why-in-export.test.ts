import type { Json, JsonObject } from "../../../../src/core/base/json";
import { exportLedger } from "../../../../src/core/history/export/export-ledger";
import { parseExport } from "../../../../src/core/history/export/parse-export";
import { whyInExport } from "../../../../src/core/history/why/why-in-export";
import { whyInHistory } from "../../../../src/core/history/why/why-in-history";
import { readRecorded } from "../../../support/recorded";

/** An exported ledger tells why effects came about as the histories do. */

const mission = { workflow_id: "agent/recorded", runs: [readRecorded("ledger-of-a-run.json")], children: [] };

/** The same history, with another input. */
function startedWith(more: JsonObject) {
  const history = structuredClone(mission.runs[0]) as unknown as {
    events: { workflowExecutionStartedEventAttributes: { input: { payloads: { data: string }[] } } }[];
  };
  const [payload] = history.events[0]?.workflowExecutionStartedEventAttributes.input.payloads ?? [];
  if (payload === undefined) throw new Error("the history has no input");
  const input = JSON.parse(Buffer.from(payload.data, "base64").toString("utf8")) as JsonObject;
  payload.data = Buffer.from(JSON.stringify({ ...input, ...more })).toString("base64");
  return { ...mission, runs: [history] };
}

const exported = (histories: typeof mission | ReturnType<typeof startedWith>, change = (text: string) => text) => {
  const { parsed, problems } = parseExport(change(exportLedger(histories, { made_at: 1, people: null })));
  return { problems, reasons: parsed === null ? [] : whyInExport(parsed) };
};

test("program, turn, model, reviews and cost are those of the histories", () => {
  const { reasons } = exported(mission);
  expect(reasons.length).toBeGreaterThan(1);
  const told = whyInHistory(mission);
  for (const reason of reasons) {
    const same = told.find(({ effect }) => effect.key === reason.effect.key);
    const { turn, invocation, model, program, reviews, budget } = reason;
    expect({ turn, invocation, model, program, reviews, budget }).toEqual({
      ...{ turn: same?.turn, invocation: same?.invocation, model: same?.model, program: same?.program },
      ...{ reviews: same?.reviews, budget: same?.budget },
    });
    expect(reason.missing).toEqual([]);
  }
});

test.each<[string, JsonObject]>([
  ["of the run", { budget: { usd: 3 } }],
  ["of a plan", { options: { budget: { usd: 3 } } }],
])("the budget %s is in the export", (_, more) => {
  const { reasons } = exported(startedWith(more));
  expect(reasons.map(({ budget }) => budget.limit)).toEqual(reasons.map(() => ({ usd: 3 })));
});

test.each<[string, Json]>([
  ["a text", "much"],
  ["another field", { by: "anna", invocation: 1 }],
  ["a cost that is no number", { invocation: 1, turn_cost: "3" }],
])("where an effect was asked for cannot be %s", (_, asked) => {
  const { problems } = exported(mission, (text) =>
    text.replace(/"asked":\{"invocation":1[^}]*\}/, `"asked":${JSON.stringify(asked)}`),
  );
  expect(problems.map(({ message }) => message)).toContain("It does not name where its effect was asked for.");
});
