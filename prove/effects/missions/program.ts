import type { Json } from "../../../src/core/base/json";
import {
  type DeedCall,
  deedName,
  formParts,
  type MeantDeed,
  type MissionStage,
  type Telling,
  type ToldForm,
} from "./mission";
import type { ProofTools } from "./proof-tool";
import { memoOf, type ProgramPlace } from "./told-place";

/** What the source of a program depends on, besides what it tells. */
interface Program {
  place: ProgramPlace;
  tools: ProofTools;
}

/** The name of the agent that programs run as a tool. */
export const HELPER = "prove_helper";

/** What the program of a telling prints for each part of a form, behind the place: the deeds that it was answered. */
const ANSWERED = "answered";
/** Printed last by a program that goes to its end. */
export const ALL_TOLD = "all told";

/**
 * The program of a telling, as a model writes it.
 *
 * @param returns the agent returns what it was answered, instead of going on to the next stage
 */
export function programOf(
  stage: MissionStage,
  { forms, end }: Telling,
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
  if (end.kind === "returns_wrong") lines.push('(return {:deeds "not a list"})');
  else if (end.kind === "gives_up") lines.push('(fail "no way")');
  else if (!returns) lines.push(`(println ${text(ALL_TOLD)})`);
  else lines.push(`(return {:deeds ${all}})`);
  return lines.join("\n");
}

/** A failure that shows only when the program runs. */
const FAILS = '(inc (str "not a number"))';

/** Names a part of a form in what a program prints. */
const partLabel = ({ stage, telling, work, attempt }: ProgramPlace, form: number, part: number): string =>
  `${ANSWERED} ${stage}.${telling}.${work}.${attempt}.${form}.${part}`;

/** What a program printed of a part of a form: the deeds that it was answered. undefined: it did not come so far. */
export function readAnswered(prints: string, place: ProgramPlace, form: number, part: number): string[] | undefined {
  const label = `${partLabel(place, form, part)} `;
  const line = prints.split("\n").find((one) => one.startsWith(label));
  return line === undefined ? undefined : (JSON.parse(line.slice(label.length).replaceAll('" "', '","')) as string[]);
}

/** Its value is a list of what each part of the form was answered. */
function formSource(stage: MissionStage, form: ToldForm, index: number, program: Program): string {
  if (form.kind === "parallel" && form.tasks !== undefined) return tasksSource(stage, form.calls, form.tasks, program);
  return `[${partSource(stage, form, index, program)}]`;
}

function partSource(stage: MissionStage, form: ToldForm, index: number, program: Program): string {
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
      const run = `(get (tool/${HELPER} {:work w}) :deeds)`;
      if (form.parallel) return `(vec (apply concat (pmap (fn [w] ${run}) [${works.join(" ")}])))`;
      return `(vec (apply concat (for [w [${works.join(" ")}]] ${run})))`;
    }
  }
}

/** Tasks beside each other. */
function tasksSource(
  stage: MissionStage,
  calls: readonly DeedCall[],
  tasks: readonly string[],
  program: Program,
): string {
  const branches = calls.map((call, at) => `(task ${text(tasks[at] as string)} [${callSource(stage, call, program)}])`);
  return `(vec (pcalls ${branches.map((source) => `(fn [] ${source})`).join(" ")}))`;
}

/** Calls beside each other. */
function parallelSource(stage: MissionStage, calls: readonly DeedCall[], program: Program): string {
  const [first] = calls;
  if (first && calls.every(({ deed, caught }) => deed === first.deed && caught === undefined)) {
    const { each, all } = equalCalls(stage, first, calls, program);
    return `(vec (pmap (fn [a] ${each("a")}) ${all}))`;
  }
  return `(vec (pcalls ${calls.map((call) => `(fn [] ${callSource(stage, call, program)})`).join(" ")}))`;
}

function loopSource(stage: MissionStage, { style, calls }: ToldForm & { kind: "loop" }, program: Program): string {
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

/** Calls of one deed: what is done with the arguments of each, and those of all. */
function equalCalls(stage: MissionStage, first: DeedCall, calls: readonly DeedCall[], program: Program) {
  const deed = stageDeed(stage, first);
  return {
    each: (args: string) => answeredSource(deed, args, false, program),
    all: `[${calls.map((call) => argsSource(deed, call, program)).join(" ")}]`,
  };
}

function callSource(stage: MissionStage, call: DeedCall, program: Program): string {
  const deed = stageDeed(stage, call);
  return answeredSource(deed, argsSource(deed, call, program), call.caught === true, program);
}

/** A call, and what its program makes of the answer: the name of the deed. */
function answeredSource(deed: MeantDeed, args: string, isCaught: boolean, { tools }: Program): string {
  const tool = tools.of(deed.tool);
  const name = deedName(deed);
  const call = `(tool/${deed.tool} ${args})`;
  if (!isCaught && !tool.refusesRepeats) return tool.readSource(call, name);
  const failed = isCaught ? `(str "failed " (get (get r :error) :code))` : FAILS;
  const known = `(if (= (get (get r :error) :code) "same_effect") ${text(name)} ${failed})`;
  const otherwise = tool.refusesRepeats ? known : failed;
  return `(let [r (tool-try ${call})] (if (get r :error) ${otherwise} ${tool.readSource("(get r :ok)", name)}))`;
}

const argsSource = ({ tool, args }: MeantDeed, { nth, words }: DeedCall, { place, tools }: Program): string =>
  literal(tools.of(tool).args(args, memoOf({ ...place, nth }, words), words));

const stageDeed = ({ deeds }: MissionStage, { deed }: Pick<DeedCall, "deed">) => deeds[deed] as MeantDeed;

/** What the agents of a form are given: from it their model knows what to tell. */
const workName = ({ stage, telling }: ProgramPlace, form: number, number: number): string =>
  `work ${stage}.${telling}.${form}.${number}`;

const WORK = /work (\d+)\.(\d+)\.(\d+)\.(\d+)/;

export function readWorkName(said: string): { stage: number; telling: number; form: number; number: number } {
  const found = WORK.exec(said);
  if (found === null) throw new Error("The agent was not told what to do.");
  const [, stage, telling, form, number] = found.map(Number) as [number, number, number, number, number];
  return { stage, telling, form, number };
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

/** What a form is answered when each of its calls does what it says. */
export const expectedAnswers = (stage: MissionStage, calls: readonly DeedCall[]): string[] =>
  calls.map((call) => deedName(stageDeed(stage, call)));
