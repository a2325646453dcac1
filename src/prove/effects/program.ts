import { type DeedCall, deedName, formParts, type MissionStage, type Telling, type ToldForm } from "./mission";
import { memoOf } from "./payment-tools";

/** Where a program stands: the numbers that its calls carry in their memos. */
export interface ProgramPlace {
  stage: number;
  telling: number;
  work: number;
  attempt: number;
}

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
  place: ProgramPlace,
  returns = place.work !== 0,
): string {
  const lines: string[] = [];
  forms.forEach((form, index) => {
    if (end.kind === "fails" && end.after === index) lines.push(FAILS);
    if (form.kind === "task" && form.reset) lines.push(`(task-reset ${text(form.id)})`);
    lines.push(`(def got-${index} ${formSource(stage, form, index, place)})`);
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
function formSource(stage: MissionStage, form: ToldForm, index: number, place: ProgramPlace): string {
  if (form.kind === "parallel" && form.tasks !== undefined) return tasksSource(stage, form.calls, form.tasks, place);
  return `[${partSource(stage, form, index, place)}]`;
}

function partSource(stage: MissionStage, form: ToldForm, index: number, place: ProgramPlace): string {
  switch (form.kind) {
    case "plain":
      return `[${form.calls.map((call) => callSource(stage, call, place)).join(" ")}]`;
    case "task":
      return `(task ${text(form.id)} [${form.calls.map((call) => callSource(stage, call, place)).join(" ")}])`;
    case "parallel":
      return parallelSource(stage, form.calls, place);
    case "loop":
      return loopSource(stage, form, place);
    case "agents": {
      const works = form.works.map((_, number) => text(workName(place, index, number)));
      const run = "(get (tool/helper {:work w}) :deeds)";
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
  place: ProgramPlace,
): string {
  const branches = calls.map((call, at) => `(task ${text(tasks[at] as string)} [${callSource(stage, call, place)}])`);
  return `(vec (pcalls ${branches.map((source) => `(fn [] ${source})`).join(" ")}))`;
}

/** Calls beside each other. */
function parallelSource(stage: MissionStage, calls: readonly DeedCall[], place: ProgramPlace): string {
  const [first] = calls;
  if (first && calls.every(({ deed, caught }) => deed === first.deed && caught === undefined)) {
    const { tool, to, cents } = stageDeed(stage, first);
    const memos = calls.map((call) => text(memoOf({ ...place, nth: call.nth }, call.words)));
    return `(vec (pmap (fn [m] (get (tool/${tool} {:to ${text(to)} :cents ${cents} :memo m}) :deed)) [${memos.join(" ")}]))`;
  }
  return `(vec (pcalls ${calls.map((call) => `(fn [] ${callSource(stage, call, place)})`).join(" ")}))`;
}

function loopSource(stage: MissionStage, { style, calls }: ToldForm & { kind: "loop" }, place: ProgramPlace): string {
  const [first] = calls;
  if (first === undefined) return "[]";
  const { tool, to, cents } = stageDeed(stage, first);
  const memos = calls.map((call) => text(memoOf({ ...place, nth: call.nth }, call.words))).join(" ");
  const call = (memo: string) => `(get (tool/${tool} {:to ${text(to)} :cents ${cents} :memo ${memo}}) :deed)`;
  switch (style) {
    case "for":
      return `(vec (for [m [${memos}]] ${call("m")}))`;
    case "map":
      return `(vec (map (fn [m] ${call("m")}) [${memos}]))`;
    case "loop":
      return `(loop [ms [${memos}] got []] (if (empty? ms) got (recur (rest ms) (conj got ${call("(first ms)")}))))`;
  }
}

function callSource(stage: MissionStage, { deed, nth, caught, words }: DeedCall, place: ProgramPlace): string {
  const { tool, to, cents } = stageDeed(stage, { deed });
  const call = `(tool/${tool} {:memo ${text(memoOf({ ...place, nth }, words))} :to ${text(to)} :cents ${cents}})`;
  if (!caught) return `(get ${call} :deed)`;
  return `(let [r (tool-try ${call})] (if (get r :error) (str "failed " (get (get r :error) :code)) (get (get r :ok) :deed)))`;
}

const stageDeed = ({ deeds }: MissionStage, { deed }: Pick<DeedCall, "deed">) =>
  deeds[deed] as MissionStage["deeds"][number];

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

/** What a form is answered when each of its calls does what it says. */
export const expectedAnswers = (stage: MissionStage, calls: readonly DeedCall[]): string[] =>
  calls.map((call) => deedName(stageDeed(stage, call)));
