import type { Json } from "../../../src/core/base/json";
import { memoOf, type ProgramPlace } from "./call-place";
import {
  type EffectCall,
  effectName,
  formParts,
  type MissionStage,
  type Script,
  type ScriptForm,
  type WantedEffect,
} from "./mission";
import type { ProofTools } from "./proof-tool";

/** The values that determine the source of a program, besides its script. */
interface Program {
  place: ProgramPlace;
  tools: ProofTools;
}

/** The name of the agent that programs run as a tool. */
export const HELPER = "prove_helper";

/** The word that a program prints for each part of a form, after the place and before the effects in the answer. */
const ANSWERED = "answered";
/** Printed last by a program that goes to its end. */
export const ALL_SENT = "all sent";

/**
 * The program of a script, as a model writes it.
 *
 * @param returns the agent returns its answers, instead of continuing with the next stage
 */
export function programOf(
  stage: MissionStage,
  { forms, end }: Script,
  program: Program,
  returns = program.place.work !== 0,
): string {
  const { place } = program;
  const lines: string[] = [];
  forms.forEach((form, index) => {
    if (end.kind === "fails" && end.after === index) lines.push(FAILS);
    if (form.kind === "task" && form.reset) lines.push(`(task-reset ${text(form.id)})`);
    lines.push(`(def got-${index} ${formSource(stage, form, index, program)})`);
    for (const part of formParts(form).keys())
      lines.push(`(println ${text(partLabel(place, index, part))} (pr-str (nth got-${index} ${part})))`);
  });
  if (end.kind === "fails" && end.after >= forms.length) lines.push(FAILS);
  const all = `(vec (apply concat (concat ${forms.map((_, index) => `got-${index}`).join(" ")})))`;
  if (end.kind === "returns_wrong") lines.push('(return {:effects "not a list"})');
  else if (end.kind === "gives_up") lines.push('(fail "no way")');
  else if (!returns) lines.push(`(println ${text(ALL_SENT)})`);
  else lines.push(`(return {:effects ${all}})`);
  return lines.join("\n");
}

/** A failure that shows only when the program runs. */
const FAILS = '(inc (str "not a number"))';

/** Names a part of a form in what a program prints. */
const partLabel = ({ stage, script, work, attempt }: ProgramPlace, form: number, part: number): string =>
  `${ANSWERED} ${stage}.${script}.${work}.${attempt}.${form}.${part}`;

/** What a program printed of a part of a form: the effects that it was answered. undefined: it did not come so far. */
export function readAnswered(prints: string, place: ProgramPlace, form: number, part: number): string[] | undefined {
  const label = `${partLabel(place, form, part)} `;
  const line = prints.split("\n").find((one) => one.startsWith(label));
  return line === undefined ? undefined : (JSON.parse(line.slice(label.length).replaceAll('" "', '","')) as string[]);
}

/** Its value is a list of what each part of the form was answered. */
function formSource(stage: MissionStage, form: ScriptForm, index: number, program: Program): string {
  if (form.kind === "parallel" && form.tasks !== undefined) return tasksSource(stage, form.calls, form.tasks, program);
  return `[${partSource(stage, form, index, program)}]`;
}

function partSource(stage: MissionStage, form: ScriptForm, index: number, program: Program): string {
  switch (form.kind) {
    case "plain":
      return `[${form.calls.map((call) => callSource(stage, call, program)).join(" ")}]`;
    case "task":
      return `(task ${text(form.id)} [${form.calls.map((call) => callSource(stage, call, program)).join(" ")}])`;
    case "parallel":
      return parallelSource(stage, form.calls, program);
    case "loop":
      return loopSource(stage, form, program);
    case "agents": {
      const works = form.works.map((_, number) => text(workName(program.place, index, number)));
      const run = `(get (tool/${HELPER} {:work w}) :effects)`;
      if (form.parallel) return `(vec (apply concat (pmap (fn [w] ${run}) [${works.join(" ")}])))`;
      return `(vec (apply concat (for [w [${works.join(" ")}]] ${run})))`;
    }
  }
}

/** Parallel tasks. */
function tasksSource(
  stage: MissionStage,
  calls: readonly EffectCall[],
  tasks: readonly string[],
  program: Program,
): string {
  const branches = calls.map((call, at) => `(task ${text(tasks[at] as string)} [${callSource(stage, call, program)}])`);
  return `(vec (pcalls ${branches.map((source) => `(fn [] ${source})`).join(" ")}))`;
}

/** Parallel calls. */
function parallelSource(stage: MissionStage, calls: readonly EffectCall[], program: Program): string {
  const [first] = calls;
  if (first && calls.every(({ effect, caught }) => effect === first.effect && caught === undefined)) {
    const { each, all } = equalCalls(stage, first, calls, program);
    return `(vec (pmap (fn [a] ${each("a")}) ${all}))`;
  }
  return `(vec (pcalls ${calls.map((call) => `(fn [] ${callSource(stage, call, program)})`).join(" ")}))`;
}

function loopSource(stage: MissionStage, { style, calls }: ScriptForm & { kind: "loop" }, program: Program): string {
  const [first] = calls;
  if (first === undefined) return "[]";
  const { each, all } = equalCalls(stage, first, calls, program);
  switch (style) {
    case "for":
      return `(vec (for [a ${all}] ${each("a")}))`;
    case "map":
      return `(vec (map (fn [a] ${each("a")}) ${all}))`;
    case "loop":
      return `(loop [as ${all} got []] (if (empty? as) got (recur (rest as) (conj got ${each("(first as)")}))))`;
  }
}

/** Calls of one effect: the source that calls with the arguments of each, and the arguments of all. */
function equalCalls(stage: MissionStage, first: EffectCall, calls: readonly EffectCall[], program: Program) {
  const effect = stageEffect(stage, first);
  return {
    each: (args: string) => answeredSource(effect, args, false, program),
    all: `[${calls.map((call) => argsSource(effect, call, program)).join(" ")}]`,
  };
}

function callSource(stage: MissionStage, call: EffectCall, program: Program): string {
  const effect = stageEffect(stage, call);
  return answeredSource(effect, argsSource(effect, call, program), call.caught === true, program);
}

/** A call, and what its program makes of the answer: the name of the effect. */
function answeredSource(effect: WantedEffect, args: string, isCaught: boolean, { tools }: Program): string {
  const tool = tools.of(effect.tool);
  const name = effectName(effect);
  const call = `(tool/${effect.tool} ${args})`;
  if (!isCaught && !tool.refusesRepeats) return tool.readSource(call, name);
  const failed = isCaught ? `(str "failed " (get (get r :error) :code))` : FAILS;
  const known = `(if (= (get (get r :error) :code) "same_effect") ${text(name)} ${failed})`;
  const otherwise = tool.refusesRepeats ? known : failed;
  return `(let [r (tool-try ${call})] (if (get r :error) ${otherwise} ${tool.readSource("(get r :ok)", name)}))`;
}

const argsSource = ({ tool, args }: WantedEffect, { nth, words }: EffectCall, { place, tools }: Program): string =>
  literal(tools.of(tool).args(args, memoOf({ ...place, nth }, words), words));

const stageEffect = ({ effects }: MissionStage, { effect }: Pick<EffectCall, "effect">) =>
  effects[effect] as WantedEffect;

/** The input of the agents of a form: from it their model knows which calls to request. */
const workName = ({ stage, script }: ProgramPlace, form: number, number: number): string =>
  `work ${stage}.${script}.${form}.${number}`;

const WORK = /work (\d+)\.(\d+)\.(\d+)\.(\d+)/;

export function readWorkName(work: string): { stage: number; script: number; form: number; number: number } {
  const found = WORK.exec(work);
  if (found === null) throw new Error("The agent got no work.");
  const [, stage, script, form, number] = found.map(Number) as [number, number, number, number, number];
  return { stage, script, form, number };
}

/** A text as a literal of the language. */
const text = (value: string): string => JSON.stringify(value);

function literal(value: Json): string {
  if (value === null) return "nil";
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `:${name} ${literal(one)}`)
    .join(" ")}}`;
}

/** The answers that a form gets when each of its calls makes its effect. */
export const expectedAnswers = (stage: MissionStage, calls: readonly EffectCall[]): string[] =>
  calls.map((call) => effectName(stageEffect(stage, call)));
