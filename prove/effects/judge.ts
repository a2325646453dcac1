import type { Act, EffectService } from "./effect-service";
import { memoOf } from "./missions/call-place";
import { type EffectMission, effectName, type FormPart, formParts, type WantedEffect } from "./missions/mission";
import { expectedAnswers, readAnswered } from "./missions/program";
import { toolOfEffect } from "./missions/proof-tool";
import type { SentProgram } from "./teller";

/** What a mission came to, whatever ran it. */
export interface MissionEnd {
  /** null: it ended as it should. */
  failed: string | null;
  sent: readonly SentProgram[];
  /** The texts that the programs printed, by turn: in the order of `sent`. */
  prints: readonly string[];
  agents_run: number;
  /** How often its plan was repaired. */
  replans: number;
  /** How often a gate sent its task back. */
  sent_back: number;
  /** The Mission Log, and the warnings of the Step. */
  log: string;
}

/** The end of a mission with these fields, all others empty. */
export const missionEndOf = (known: Pick<MissionEnd, "failed" | "sent"> & Partial<MissionEnd>): MissionEnd => ({
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

  count(effect: string, what: keyof JudgedCounts, number = 1): void {
    const tool = toolOfEffect(effect);
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
  /** Answers of other effects than those that were asked for. */
  conflicts: number;
  reported: number;
  logged: number;
}

const nothingJudged = (): JudgedCounts => ({
  intended: 0,
  done: 0,
  repeats: 0,
  losses: 0,
  conflicts: 0,
  reported: 0,
  logged: 0,
});

/** Compares the effects of a mission with the wanted effects. It reads the books of the service, and the feedback to the model. */
export function judge(
  mission: EffectMission,
  id: string,
  { service, end }: { service: EffectService; end: MissionEnd },
  /** Effects that other missions mean, too: they are judged with those. */
  shared: ReadonlySet<string> = new Set(),
): Judgement {
  const all = new Judgement();
  for (const { key, first, second } of service.sharedKeys)
    all.faults.push({ kind: "shared_key", text: `"${first}" and "${second}" were asked for under one key, ${key}.` });
  const ended = end.failed === null;
  const before = new Set<string>();
  for (const [number, { effects }] of mission.stages.entries()) {
    for (const effect of effects) {
      if (shared.has(effectName(effect))) continue;
      const acts = actsIn(service, id, effect, number);
      const { everyCallCounts, isDoneOnce } = service.tools.of(effect.tool);
      if (everyCallCounts) judgeEachCall(all, effect, number, acts, ended);
      else
        judgeEffect(
          all,
          isDoneOnce && before.has(effectName(effect)) ? { ...effect, times: 0 } : effect,
          number,
          acts,
          ended,
        );
    }
    for (const effect of effects) before.add(effectName(effect));
  }
  if (end.failed !== null) all.faults.push({ kind: "stuck", text: `The mission did not end well: ${end.failed}` });
  judgeAnswers(all, id, service, end);
  return all;
}

const actsIn = (service: EffectService, id: string, effect: WantedEffect, stage: number): Act[] =>
  service.actsOf(id, effectName(effect)).filter(({ place }) => place.stage === stage);

function judgeEffect(all: Judgement, effect: WantedEffect, stage: number, acts: readonly Act[], ended: boolean): void {
  const { times, regretted } = effect;
  const shown = effectName(effect);
  const name = `"${shown}" of stage ${stage}`;
  all.count(shown, "done", acts.length);
  all.count(shown, "intended", regretted ? Math.min(acts.length, times) : times);
  const places = acts.map(({ key, place }) => `${key} at ${memoOf(place, "").trim()}`).join("; ");
  if (acts.length > times) {
    all.count(shown, "repeats", acts.length - times);
    all.faults.push({ kind: "repeat", text: `${name} was wanted ${times} and done ${acts.length} times: ${places}.` });
  }
  if (ended && !regretted && acts.length < times) {
    all.count(shown, "losses", times - acts.length);
    all.faults.push({
      kind: "loss",
      text: `${name} was wanted ${times} and done ${acts.length} times${places === "" ? "" : `: ${places}`}.`,
    });
  }
}

/** Every call that a program makes is wanted: once for each, and at least as often as in the stage. */
function judgeEachCall(
  all: Judgement,
  effect: WantedEffect,
  stage: number,
  acts: readonly Act[],
  ended: boolean,
): void {
  const shown = effectName(effect);
  const name = `"${shown}" of stage ${stage}`;
  const calls = new Set(acts.map(({ place }) => memoOf(place, "")));
  all.count(shown, "done", acts.length);
  all.count(shown, "intended", Math.max(calls.size, effect.regretted ? 0 : effect.times));
  if (acts.length > calls.size) {
    all.count(shown, "repeats", acts.length - calls.size);
    all.faults.push({ kind: "repeat", text: `${name}: ${calls.size} calls did it ${acts.length} times.` });
  }
  if (ended && !effect.regretted && calls.size < effect.times) {
    all.count(shown, "losses", effect.times - calls.size);
    all.faults.push({ kind: "loss", text: `${name} was wanted ${effect.times} and done ${calls.size} times.` });
  }
}

/** Calls that were answered with another effect than they asked for: the next message must report it, and so must the log. */
function judgeAnswers(all: Judgement, id: string, service: EffectService, end: MissionEnd): void {
  for (const [turn, program] of end.sent.entries()) {
    const called = new Map<string, number>();
    for (const [form, sent] of program.script.forms.entries())
      if (sent.kind !== "agents")
        for (const [at, part] of formParts(sent).entries()) {
          const answers = readAnswered(end.prints[turn] ?? "", program.place, form, at);
          if (answers === undefined) continue;
          judgePart(all, part, answers, program, end.log);
          if (part.task === undefined) for (const effect of answers) called.set(effect, (called.get(effect) ?? 0) + 1);
        }
    for (const [effect, answers] of called)
      if (!effect.startsWith("failed ")) judgeCalls(all, effect, answers, { id, service, program });
  }
}

/** If each call of a tool is an effect, no call is answered by what an earlier one did. */
function judgeCalls(
  all: Judgement,
  effect: string,
  answers: number,
  { id, service, program }: { id: string; service: EffectService; program: SentProgram },
): void {
  if (!service.tools.of(toolOfEffect(effect)).everyCallCounts) return;
  const { stage, script } = program.place;
  const calls = service.callsIn(id, effect, program.place) + service.foundOut(id, effect);
  if (calls >= answers) return;
  all.count(effect, "losses", answers - calls);
  all.faults.push({
    kind: "loss",
    text: `${answers} calls of "${effect}" in script ${script} of stage ${stage} were answered, and the service was called ${calls} times: every call is an effect.`,
  });
}

function judgePart(
  all: Judgement,
  { calls, task }: FormPart,
  answers: readonly string[],
  { place, stage, feedback }: SentProgram,
  log: string,
): void {
  const expected = expectedAnswers(stage, calls);
  const missing = without(expected, answers);
  const others = without(answers, expected);
  const failed = others.filter((one) => one.startsWith("failed ")).length;
  // An effect whose call failed and was caught is not there, and the program reports it.
  if (missing.length <= failed) return;
  const first = missing[0] as string;
  all.count(first, "conflicts");
  const names = (shown: string) => task !== undefined && shown.includes(task);
  const notes = (feedback ?? "").split("\n").filter((line) => line.startsWith("Note: "));
  const what = `"${missing.join(", ")}" was answered with "${others.join(", ")}" in script ${place.script} of stage ${place.stage}`;
  if (notes.some(names)) all.count(first, "reported");
  else all.faults.push({ kind: "silent", text: `${what}, and the feedback to the model did not report it.` });
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
