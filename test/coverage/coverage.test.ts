import { readFileSync } from "node:fs";
import path from "node:path";
import * as workflows from "../../src/workflows";
import {
  activityNames,
  filesBelow,
  filesOf,
  messageDefinitions,
  WORKFLOWS,
  workflowEntries,
} from "../support/workflow-code";
import { type RecordedRun, recordedRuns } from "./facts";
import { MODES } from "./modes";

/**
 * Whatever can be running when a new version is deployed has a recorded history: each workflow type, each message that
 * it hears, each activity that it starts, and each mode. What is missing is named. How to record it: docs/testing.md.
 */
const runs = recordedRuns();
const of = (workflow: string): RecordedRun[] => runs.filter((run) => run.workflow === workflow);
const types = workflowEntries().map(({ workflow }) => workflow);
const sourcesOf = (workflow: string) => filesOf(workflow).map((file) => readFileSync(file, "utf8"));

/** Rows of what `found` does not find. */
const missing = <T>(rows: readonly T[], found: (row: T) => boolean): T[] => rows.filter((row) => !found(row));

test("the workflow types are those that the bundle exports", () =>
  expect([...types].sort()).toEqual(Object.keys(workflows).sort()));

test("each workflow type has a recorded history", () =>
  expect(missing(types, (type) => of(type).length > 0)).toEqual([]));

test("each history is of a workflow type that there is", () =>
  expect(runs.filter(({ workflow }) => !types.includes(workflow)).map(({ file }) => file)).toEqual([]));

describe("messages", () => {
  const heard = messageDefinitions().filter(({ kind }) => kind !== "query");
  /** The signals and updates that a workflow sets a handler for. */
  const rows = types.flatMap((workflow) => {
    const handled = sourcesOf(workflow).flatMap((source) =>
      [...source.matchAll(/setHandler\(\s*(?:\w+\.)?(\w+)/g)].map(([, constant]) => constant),
    );
    return heard
      .filter(({ constant }) => handled.includes(constant))
      .map(({ kind, name }) => ({ workflow, kind, name }));
  });

  test("each signal and update has a workflow that hears it", () => {
    const known = rows.map(({ kind, name }) => `${kind} ${name}`);
    expect(missing(heard, ({ kind, name }) => known.includes(`${kind} ${name}`))).toEqual([]);
  });

  test("each workflow type has a history of each signal and update that it hears", () =>
    expect(
      missing(rows, ({ workflow, kind, name }) =>
        of(workflow).some((run) => (kind === "signal" ? run.signals : run.updates).some((one) => one.name === name)),
      ),
    ).toEqual([]));
});

describe("activities", () => {
  const rows = types.flatMap((workflow) => {
    const sources = sourcesOf(workflow);
    return activityNames()
      .filter((activity) => sources.some((source) => source.includes(`.${activity}(`)))
      .map((activity) => ({ workflow, activity }));
  });

  test("each activity has a workflow that starts it", () => {
    const started = rows.map(({ activity }) => activity);
    expect(missing(activityNames(), (name) => started.includes(name))).toEqual([]);
  });

  test("each workflow type has a history of each activity that it starts", () =>
    expect(
      missing(rows, ({ workflow, activity }) =>
        of(workflow).some((run) => run.activities.some(({ name }) => name === activity)),
      ),
    ).toEqual([]));
});

test("each patch has a history of runs that passed it", () => {
  const patches = filesBelow(WORKFLOWS).flatMap((file) =>
    [...readFileSync(path.join(WORKFLOWS, file), "utf8").matchAll(/patched\("([^"]+)"\)/g)].map(([, name]) => name),
  );
  expect(missing(patches, (name) => runs.some((run) => run.patches.includes(name as string)))).toEqual([]);
});

describe.each(types)("modes of %s", (workflow) => {
  const rows = MODES.filter((mode) => mode.workflow === workflow);

  test("there are modes", () => expect(rows.length).toBeGreaterThan(2));

  test.each(rows)("$mode has a recorded history (docs/changing-workflow-code.md, Record a history)", ({ is }) => {
    const found = of(workflow).filter(is);
    expect(found.length).toBeGreaterThan(0);
    // A mode that every history is of tells nothing.
    expect(found.length).toBeLessThan(of(workflow).length);
  });
});
