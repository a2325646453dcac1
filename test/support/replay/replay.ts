import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { EffectEntry } from "../../../src/core/effects/entry";
import { projectJournal } from "../../../src/core/history/read/project";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { type ExportedHistory, workflowTypeOf } from "../recorded";
import { ReplayClient } from "./replay-client";
import type { OwnView, ReplayedCode } from "./replay-messages";

/** One connection for all replays of a test file. */
let replays: Promise<ReplayClient> | undefined;
afterAll(async () => (await replays)?.close());

const replayed = async (code: ReplayedCode, history: ExportedHistory): Promise<OwnView[]> => {
  replays ??= ReplayClient.connect();
  return (await replays).replay(code, history);
};

/** Replays with the code as it is shipped. @throws DeterminismViolationError when the code would now do something else. */
export async function replay(history: ExportedHistory): Promise<void> {
  await replayed("shipped", history);
}

/** What differs from one process to the next: how strings are hashed, and what randomness begins with. */
const OTHER_PROCESS = ["--hash-seed=104729", "--random-seed=3"];

/**
 * Replays with the code as it is shipped, in a process that hashes and orders its own way. Answers how many replays there were.
 *
 * @throws what the process said if it could not
 */
export async function replayElsewhere(histories: ExportedHistory[]): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-histories-"));
  const files = histories.map((history, i) => {
    const file = path.join(folder, `${i}.json`);
    writeFileSync(file, JSON.stringify(history));
    return file;
  });
  try {
    const main = path.join(__dirname, "replay-main.cjs");
    const bundle = process.env.NAVIGATOR_TEST_BUNDLE as string;
    const { stdout } = await promisify(execFile)(process.execPath, [...OTHER_PROCESS, main, bundle, ...files]);
    return stdout.trim().split("\n").length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Replays with a probe inside. */
export const ownViews = (history: ExportedHistory): Promise<OwnView[]> => replayed("probed", history);

/** The workflows whose ledger, and journal, a history alone gives. */
const PROJECTED = ["agentRun", "planRun", "navigatorTask"];

/**
 * Holds the projections of every beginning of a history against the workflow's own answers. What one workflow task
 * asked for is written at once, so beginnings that end inside such a group are no state that anyone could have met.
 * The ledger is compared at the end of each group only: an answer that comes after it is known to the history before
 * the workflow has seen it. Answers how many beginnings were compared: none of a workflow that has no such queries.
 */
export async function expectProjectionsToEqual(history: ExportedHistory): Promise<number> {
  if (!PROJECTED.includes(workflowTypeOf(history))) return 0;
  const views = await ownViews(history);
  const { events } = history;
  // A run that failed before it listened answers nothing.
  if (views.length === 0 && events.at(-1)?.eventType.endsWith("WORKFLOW_EXECUTION_FAILED")) return 0;
  let compared = 0;
  for (const index of events.keys()) {
    const taskEnded = taskThatWrote(events, index);
    if (taskEnded === undefined || taskThatWrote(events, index + 1) === taskEnded) continue;
    // The workflow task that completed as event n was started as event n - 1: that is all it had seen.
    const own = views.filter(({ seen }) => seen <= taskEnded - 1).at(-1);
    const upTo = nextTaskEnd(events, index);
    const beginning = { events: events.slice(0, index + 1) };
    // Changes wait while a slow local read runs (engine reference, section 3): what is there must be right.
    if (mayWaitForLocalRead(events, index)) {
      const { rows } = projectJournal(beginning);
      const known = (own?.rows ?? []) as unknown[];
      expect(known.slice(0, rows.length)).toEqual(rows);
      continue;
    }
    const effects = projectEffects(beginning);
    // A run that looks up its tools has not begun: it answers nothing yet, and has done nothing.
    if (own === undefined) expect({ end: index + 1, effects: effects ?? [] }).toEqual({ end: index + 1, effects: [] });
    else {
      const known = taskWasPutOff(events, index) ? withoutLocalCall(own.effects, effects) : own.effects;
      expect({ end: index + 1, effects }).toEqual({ end: index + 1, effects: known });
    }
    compared += 1;
    if (own?.rows === undefined) continue;
    for (let end = index + 1; end <= upTo; end++) {
      const { rows, mission_log } = projectJournal({ events: events.slice(0, end) });
      expect({ end, rows, mission_log }).toEqual({ end, rows: own?.rows, mission_log: own?.missionLog });
      compared += 1;
    }
  }
  return compared;
}

/** The id of the completed workflow task that an event belongs to: it is that event, or was asked for by it. */
function taskThatWrote(events: ExportedHistory["events"], index: number): number | undefined {
  const event = events[index];
  if (event === undefined) return undefined;
  if (event.eventType.endsWith("WORKFLOW_TASK_COMPLETED")) return index + 1;
  // Answers to updates do not name their workflow task, and always stand among what it wrote.
  if (event.eventType.includes("_EXECUTION_UPDATE_")) return taskThatWrote(events, index - 1);
  for (const [key, value] of Object.entries(event))
    if (key.endsWith("EventAttributes")) {
      const id = (value as { workflowTaskCompletedEventId?: string }).workflowTaskCompletedEventId;
      if (id !== undefined && Number(id) > 0) return Number(id);
    }
  return undefined;
}

/** The workflow task went on in another one: a local activity was under way. */
const taskWasPutOff = (events: ExportedHistory["events"], index: number): boolean =>
  events[index + 1]?.eventType.endsWith("WORKFLOW_TASK_SCHEDULED") === true;

/** What the run says of its effects, without the local call that is under way: its history has nothing of it yet. */
const withoutLocalCall = (own: unknown, projected: readonly EffectEntry[]): EffectEntry[] =>
  (own as EffectEntry[]).filter(({ key, state }) => state !== "intended" || projected.some((one) => one.key === key));

/**
 * Temporal ended the workflow task in the middle of a local activity. Its events are the markers of those that had ended, and
 * the next workflow task comes at once.
 */
function mayWaitForLocalRead(events: ExportedHistory["events"], index: number): boolean {
  const ends = (at: number, type: string): boolean => events[at]?.eventType.endsWith(type) === true;
  let completed = index;
  while (ends(completed, "MARKER_RECORDED")) completed -= 1;
  return ends(completed, "WORKFLOW_TASK_COMPLETED") && ends(index + 1, "WORKFLOW_TASK_SCHEDULED");
}

/** How far what a workflow task left behind goes: up to the completion of the next one. */
function nextTaskEnd(events: ExportedHistory["events"], index: number): number {
  const next = events.findIndex((event, at) => at > index && event.eventType.endsWith("WORKFLOW_TASK_COMPLETED"));
  return next === -1 ? events.length : next;
}
