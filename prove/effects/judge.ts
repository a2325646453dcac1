import type { Act, DeedService } from "./deed-service";
import { deedName, type EffectMission, type FormPart, formParts, type MeantDeed } from "./missions/mission";
import { expectedAnswers, readAnswered } from "./missions/program";
import { toolOfDeed } from "./missions/proof-tool";
import { memoOf } from "./missions/told-place";
import type { ToldProgram } from "./teller";

/** What a mission came to, whatever ran it. */
export interface MissionEnd {
  /** null: it ended as it should. */
  failed: string | null;
  told: readonly ToldProgram[];
  /** What the programs printed, by turn: in the order of `told`. */
  prints: readonly string[];
  agents_run: number;
  /** How often its plan was repaired. */
  replans: number;
  /** How often a gate sent its task back. */
  sent_back: number;
  /** The Mission Log, and the warnings of the Step. */
  log: string;
}

/** The end of a mission of which no more is known than this. */
export const missionEndOf = (known: Pick<MissionEnd, "failed" | "told"> & Partial<MissionEnd>): MissionEnd => ({
  prints: [],
  agents_run: 0,
  replans: 0,
  sent_back: 0,
  log: "",
  ...known,
});

/** What a promise rules out. */
export interface EffectFault {
  kind: "repeat" | "loss" | "silent" | "unlogged" | "shared_key" | "stuck" | "undo";
  text: string;
}

export class Judgement {
  readonly faults: EffectFault[] = [];
  readonly counts = nothingJudged();
  readonly byTool = new Map<string, JudgedCounts>();

  count(deed: string, what: keyof JudgedCounts, number = 1): void {
    const tool = toolOfDeed(deed);
    const own = this.byTool.get(tool) ?? nothingJudged();
    this.byTool.set(tool, own);
    own[what] += number;
    this.counts[what] += number;
  }
}

export interface JudgedCounts {
  intended: number;
  done: number;
  repeats: number;
  losses: number;
  /** Answers of other deeds than those that were asked for. */
  conflicts: number;
  told: number;
  logged: number;
}

const nothingJudged = (): JudgedCounts => ({
  intended: 0,
  done: 0,
  repeats: 0,
  losses: 0,
  conflicts: 0,
  told: 0,
  logged: 0,
});

/** Compares what a mission did with what was meant. It reads the books of the service, and what the model was told. */
export function judge(
  mission: EffectMission,
  id: string,
  { service, end }: { service: DeedService; end: MissionEnd },
  /** Deeds that other missions mean, too: they are judged with those. */
  shared: ReadonlySet<string> = new Set(),
): Judgement {
  const all = new Judgement();
  for (const { key, first, second } of service.sharedKeys)
    all.faults.push({ kind: "shared_key", text: `"${first}" and "${second}" were asked for under one key, ${key}.` });
  const ended = end.failed === null;
  const before = new Set<string>();
  for (const [number, { deeds }] of mission.stages.entries()) {
    for (const deed of deeds) {
      if (shared.has(deedName(deed))) continue;
      const acts = actsIn(service, id, deed, number);
      const { everyCallCounts, isDoneOnce } = service.tools.of(deed.tool);
      if (everyCallCounts) judgeEachCall(all, deed, number, acts, ended);
      else judgeDeed(all, isDoneOnce && before.has(deedName(deed)) ? { ...deed, times: 0 } : deed, number, acts, ended);
    }
    for (const deed of deeds) before.add(deedName(deed));
  }
  if (end.failed !== null) all.faults.push({ kind: "stuck", text: `The mission did not end well: ${end.failed}` });
  judgeAnswers(all, id, service, end);
  return all;
}

const actsIn = (service: DeedService, id: string, deed: MeantDeed, stage: number): Act[] =>
  service.actsOf(id, deedName(deed)).filter(({ place }) => place.stage === stage);

function judgeDeed(all: Judgement, deed: MeantDeed, stage: number, acts: readonly Act[], ended: boolean): void {
  const { times, regretted } = deed;
  const said = deedName(deed);
  const name = `"${said}" of stage ${stage}`;
  all.count(said, "done", acts.length);
  all.count(said, "intended", regretted ? Math.min(acts.length, times) : times);
  const places = acts.map(({ key, place }) => `${key} at ${memoOf(place, "").trim()}`).join("; ");
  if (acts.length > times) {
    all.count(said, "repeats", acts.length - times);
    all.faults.push({ kind: "repeat", text: `${name} was meant ${times} and done ${acts.length} times: ${places}.` });
  }
  if (ended && !regretted && acts.length < times) {
    all.count(said, "losses", times - acts.length);
    all.faults.push({
      kind: "loss",
      text: `${name} was meant ${times} and done ${acts.length} times${places === "" ? "" : `: ${places}`}.`,
    });
  }
}

/** Every call that a program makes is meant: once for each, and at least as often as the stage says. */
function judgeEachCall(all: Judgement, deed: MeantDeed, stage: number, acts: readonly Act[], ended: boolean): void {
  const said = deedName(deed);
  const name = `"${said}" of stage ${stage}`;
  const calls = new Set(acts.map(({ place }) => memoOf(place, "")));
  all.count(said, "done", acts.length);
  all.count(said, "intended", Math.max(calls.size, deed.regretted ? 0 : deed.times));
  if (acts.length > calls.size) {
    all.count(said, "repeats", acts.length - calls.size);
    all.faults.push({ kind: "repeat", text: `${name}: ${calls.size} calls did it ${acts.length} times.` });
  }
  if (ended && !deed.regretted && calls.size < deed.times) {
    all.count(said, "losses", deed.times - calls.size);
    all.faults.push({ kind: "loss", text: `${name} was meant ${deed.times} and done ${calls.size} times.` });
  }
}

/** Calls that were answered with another deed than they asked for: the next message must say so, and so must the log. */
function judgeAnswers(all: Judgement, id: string, service: DeedService, end: MissionEnd): void {
  for (const [turn, program] of end.told.entries()) {
    const called = new Map<string, number>();
    for (const [form, told] of program.telling.forms.entries())
      if (told.kind !== "agents")
        for (const [at, part] of formParts(told).entries()) {
          const answers = readAnswered(end.prints[turn] ?? "", program.place, form, at);
          if (answers === undefined) continue;
          judgePart(all, part, answers, program, end.log);
          if (part.task === undefined) for (const deed of answers) called.set(deed, (called.get(deed) ?? 0) + 1);
        }
    for (const [deed, answers] of called)
      if (!deed.startsWith("failed ")) judgeCalls(all, deed, answers, { id, service, program });
  }
}

/** Of a tool each call of which is a deed, no call is answered by what an earlier one did. */
function judgeCalls(
  all: Judgement,
  deed: string,
  answers: number,
  { id, service, program }: { id: string; service: DeedService; program: ToldProgram },
): void {
  if (!service.tools.of(toolOfDeed(deed)).everyCallCounts) return;
  const { stage, telling } = program.place;
  const calls = service.callsIn(id, deed, program.place) + service.foundOut(id, deed);
  if (calls >= answers) return;
  all.count(deed, "losses", answers - calls);
  all.faults.push({
    kind: "loss",
    text: `${answers} calls of "${deed}" in telling ${telling} of stage ${stage} were answered, and the service was called ${calls} times: every call is a deed.`,
  });
}

function judgePart(
  all: Judgement,
  { calls, task }: FormPart,
  answers: readonly string[],
  { place, stage, feedback }: ToldProgram,
  log: string,
): void {
  const expected = expectedAnswers(stage, calls);
  const missing = without(expected, answers);
  const others = without(answers, expected);
  const failed = others.filter((one) => one.startsWith("failed ")).length;
  // A deed whose call failed and was caught is not there, and the program says so.
  if (missing.length <= failed) return;
  const first = missing[0] as string;
  all.count(first, "conflicts");
  const names = (said: string) => task !== undefined && said.includes(task);
  const notes = (feedback ?? "").split("\n").filter((line) => line.startsWith("Note: "));
  const what = `"${missing.join(", ")}" was answered with "${others.join(", ")}" in telling ${place.telling} of stage ${place.stage}`;
  if (notes.some(names)) all.count(first, "told");
  else all.faults.push({ kind: "silent", text: `${what}, and the model was not told.` });
  if (names(log)) all.count(first, "logged");
  else all.faults.push({ kind: "unlogged", text: `${what}, and neither log nor Step name it.` });
}

function without(from: readonly string[], some: readonly string[]): string[] {
  const left = [...some];
  return from.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
