import type { FactOf } from "../../../../src/core/history/read/facts";
import { startedIn } from "../../../../src/core/history/read/history";
import { childIds, type MissionHistories } from "../../../../src/core/history/trace/read-mission";
import { takenOverMission } from "../../../../src/core/history/trace/takeover";
import type { EffectReasons } from "../../../../src/core/history/why/effect-reasons";
import { whyInHistory } from "../../../../src/core/history/why/why-in-history";
import { type ExportedHistory, readRecorded, recordedFiles } from "../../../support/recorded";

/** Why effects came about, for every effect in every recorded history. */
const startOf = (history: ExportedHistory) => startedIn(history) as FactOf<"started">;

/** The histories by the workflows that wrote them, the oldest run first. */
const runs = new Map<string, ExportedHistory[]>();
for (const file of recordedFiles()) {
  const history = readRecorded(file);
  const { workflow_id, continued_run_id } = startOf(history);
  const id = workflow_id || file;
  const known = runs.get(id) ?? [];
  runs.set(id, continued_run_id ? [...known, history] : [history, ...known]);
}
const isChild = new Set([...runs.values()].flat().flatMap(childIds));
const missionOf = (id: string): MissionHistories => ({
  workflow_id: id,
  runs: runs.get(id) ?? [],
  children: [...new Set((runs.get(id) ?? []).flatMap(childIds))].filter((child) => runs.has(child)).map(missionOf),
});

const missions = [...runs.keys()].filter((id) => !isChild.has(id)).map(missionOf);
/** The missions that a retry has taken over, as far as they were recorded. */
function earlierTries(mission: MissionHistories): MissionHistories[] {
  const of = takenOverMission(mission);
  const before = missions.find(({ workflow_id }) => workflow_id === of);
  return before === undefined ? [] : [before, ...earlierTries(before)];
}
const reasons = missions.flatMap((mission) =>
  whyInHistory(mission, "", earlierTries(mission)).map((reason) => ({
    ...reason,
    isRecorded: runs.has(reason.run),
    mission: mission.workflow_id,
  })),
);

test("every effect in every recorded history has the program that asked for it, and its turn and model", () => {
  expect(reasons.length).toBeGreaterThan(60);
  // Of some missions only the task or the plan was recorded, and not the agents below.
  const own = reasons.filter(({ run }) => {
    const first = runs.get(run)?.[0];
    return first !== undefined && startOf(first).workflow_type === "agentRun";
  });
  expect(own.length).toBeGreaterThan(40);
  const inputOf = (run: string) =>
    startOf(runs.get(run)?.[0] as ExportedHistory).input as {
      program?: string;
      agent?: { output?: string };
    };
  // A program that a run was started with is no model's; the model of a text agent calls tools without a program.
  const wasGiven = (run: string) => inputOf(run).program !== undefined;
  const isText = (run: string) => inputOf(run).agent?.output === "text";
  expect(own.filter(({ run }) => isText(run)).length).toBeGreaterThan(0);
  const incomplete = own.filter(
    ({ turn, program, model, run }) =>
      turn < 1 || (program === null) !== isText(run) || (model === null && !wasGiven(run)),
  );
  expect(incomplete.map(({ mission, effect, missing }) => [mission, effect.tool, missing])).toEqual([]);
});

test("a retry tells why of what it has taken over, and says which try was not read", () => {
  const [retry, before] = missions.flatMap((mission) => {
    const [earlier, ...older] = earlierTries(mission);
    return earlier === undefined || older.length > 0 ? [] : [[mission, earlier] as const];
  })[0] as readonly [MissionHistories, MissionHistories];
  const isTold = ({ program, model }: EffectReasons) => program !== null || model !== null;
  const known = new Map(
    whyInHistory(before)
      .filter(isTold)
      .map((reason) => [reason.effect.key, reason]),
  );
  const alone = whyInHistory(retry).filter(({ missing }) => missing.some((what) => what.includes("was not read")));
  const unread = ["program", "model"].map((what) => expect.stringMatching(`^the ${what}: "${before.workflow_id}"`));
  for (const { missing } of alone) expect(missing).toEqual(unread);
  const keys = alone.map(({ effect }) => effect.key).filter((key) => known.has(key));
  expect(keys.length).toBeGreaterThan(0);
  const together = new Map(whyInHistory(retry, "", [before]).map((reason) => [reason.effect.key, reason]));
  for (const key of keys) expect(together.get(key)).toEqual({ ...known.get(key), effect: together.get(key)?.effect });
});

test("what is not known of an effect is said", () => {
  for (const { program, model, missing } of reasons)
    expect(missing.filter((what) => /^the (program|model)/.test(what))).toHaveLength(
      Number(program === null) + Number(model === null),
    );
});
