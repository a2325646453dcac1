import { deedName, type EffectMission, type FormPart, formParts, type MeantDeed } from "./mission";
import type { Act, PaymentService } from "./payment-service";
import { memoOf, PAYMENT_TOOLS } from "./payment-tools";
import { expectedAnswers, readAnswered } from "./program";
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
  /** The Mission Log, and the warnings of the Step. */
  log: string;
}

/** What a promise rules out. */
export interface EffectFault {
  kind: "repeat" | "loss" | "silent" | "unlogged" | "shared_key" | "stuck" | "undo";
  text: string;
}

export interface Judgement {
  faults: EffectFault[];
  intended: number;
  done: number;
  repeats: number;
  losses: number;
  conflicts: number;
  told: number;
  logged: number;
}

/** Compares what a mission did with what was meant. It reads the books of the service, and what the model was told. */
export function judge(
  mission: EffectMission,
  id: string,
  { service, end }: { service: PaymentService; end: MissionEnd },
  /** Deeds that other missions mean, too: they are judged with those. */
  shared: ReadonlySet<string> = new Set(),
): Judgement {
  const all: Judgement = { faults: [], intended: 0, done: 0, repeats: 0, losses: 0, conflicts: 0, told: 0, logged: 0 };
  for (const { key, first, second } of service.sharedKeys)
    all.faults.push({ kind: "shared_key", text: `"${first}" and "${second}" were asked for under one key, ${key}.` });
  for (const [number, { deeds }] of mission.stages.entries())
    for (const deed of deeds)
      if (!shared.has(deedName(deed)))
        judgeDeed(all, deed, number, actsIn(service, id, deed, number), end.failed === null);
  if (end.failed !== null) all.faults.push({ kind: "stuck", text: `The mission did not end well: ${end.failed}` });
  judgeAnswers(all, end);
  return all;
}

const actsIn = (service: PaymentService, id: string, deed: MeantDeed, stage: number): Act[] =>
  service.actsOf(id, deedName(deed)).filter(({ place }) => place.stage === stage);

function judgeDeed(all: Judgement, deed: MeantDeed, stage: number, acts: readonly Act[], ended: boolean): void {
  const { tool, times, regretted } = deed;
  const name = `"${deedName(deed)}" of stage ${stage}`;
  all.done += acts.length;
  if (PAYMENT_TOOLS[tool].repeatable === true) return judgeRepeatable(all, deed, name, acts, ended);
  all.intended += regretted ? Math.min(acts.length, times) : times;
  const places = acts.map(({ key, place }) => `${key} at ${memoOf(place, "").trim()}`).join("; ");
  if (acts.length > times) {
    all.repeats += acts.length - times;
    all.faults.push({ kind: "repeat", text: `${name} was meant ${times} and done ${acts.length} times: ${places}.` });
  }
  if (ended && !regretted && acts.length < times) {
    all.losses += times - acts.length;
    all.faults.push({
      kind: "loss",
      text: `${name} was meant ${times} and done ${acts.length} times${places === "" ? "" : `: ${places}`}.`,
    });
  }
}

/** Every call that a program makes is meant: once for each, and at least as often as the stage says. */
function judgeRepeatable(all: Judgement, deed: MeantDeed, name: string, acts: readonly Act[], ended: boolean): void {
  const calls = new Set(acts.map(({ place }) => memoOf(place, "")));
  all.intended += Math.max(calls.size, deed.regretted ? 0 : deed.times);
  if (acts.length > calls.size) {
    all.repeats += acts.length - calls.size;
    all.faults.push({ kind: "repeat", text: `${name}: ${calls.size} calls did it ${acts.length} times.` });
  }
  if (ended && !deed.regretted && calls.size < deed.times) {
    all.losses += deed.times - calls.size;
    all.faults.push({ kind: "loss", text: `${name} was meant ${deed.times} and done ${calls.size} times.` });
  }
}

/** Calls that were answered with another deed than they asked for: the next message must say so, and so must the log. */
function judgeAnswers(all: Judgement, end: MissionEnd): void {
  for (const [turn, program] of end.told.entries())
    for (const [form, told] of program.telling.forms.entries())
      if (told.kind !== "agents")
        for (const [at, part] of formParts(told).entries()) {
          const answers = readAnswered(end.prints[turn] ?? "", program.place, form, at);
          if (answers !== undefined) judgePart(all, part, answers, program, end.log);
        }
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
  all.conflicts += 1;
  const names = (said: string) => task !== undefined && said.includes(task);
  const notes = (feedback ?? "").split("\n").filter((line) => line.startsWith("Note: "));
  const what = `"${missing.join(", ")}" was answered with "${others.join(", ")}" in telling ${place.telling} of stage ${place.stage}`;
  if (notes.some(names)) all.told += 1;
  else all.faults.push({ kind: "silent", text: `${what}, and the model was not told.` });
  if (names(log)) all.logged += 1;
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
