import { isLogNews } from "../../src/core/agent/prompt/mission-log-news";
import type { Message, ModelReply } from "../../src/core/calls/host";
import type { ModelCall } from "../../src/models/model";
import { workNumber } from "./missions/faults";
import {
  callsOf,
  type DeedCall,
  type EffectMission,
  formParts,
  type MissionStage,
  type Telling,
  type ToldForm,
  type Work,
} from "./missions/mission";
import { ALL_TOLD, expectedAnswers, HELPER, programOf, readAnswered, readWorkName } from "./missions/program";
import type { ProofTools } from "./missions/proof-tool";
import type { ProgramPlace, ToldPlace } from "./missions/told-place";
import { type MeantAndTold, timesMeant } from "./person";

/** A program of the mission's own agent, and what its model was told after it. */
export interface ToldProgram {
  place: ProgramPlace;
  stage: MissionStage;
  telling: Telling;
  /** It tells only what the model has not seen done. */
  isRest?: true;
  /** Absent as long as the model was not asked again. */
  feedback?: string;
  /** Whether the model saw that the program went to its end. */
  succeeded?: boolean;
}

/**
 * The model of a mission: it tells each stage in the ways that the mission has, until it has seen that all of its deeds are
 * done. What it says depends on nothing but the conversation, so that it may be asked again at any time.
 */
export class Teller implements MeantAndTold {
  /** The programs of the mission's own agent, by turn. */
  readonly told = new Map<number, ToldProgram>();
  /** What the agents of each stage have told last. */
  private readonly helped = new Map<number, ProgramPlace>();

  constructor(
    protected readonly mission: EffectMission,
    protected readonly tools: ProofTools,
  ) {}

  /** @param _run of the agent that asks */
  async answer({ agent, messages, turn }: ModelCall, _run: string): Promise<ModelReply> {
    return {
      content: asReply(agent === HELPER ? this.helper(messages) : this.root(messages, turn)),
      model: "scripted",
    };
  }

  countOf(deed: string, { stage: number, telling }: ToldPlace): { told: number; seen: number } {
    const program = [...this.told.values()].find(({ place }) => place.stage === number && place.telling === telling);
    if (program === undefined) throw new Error(`Nobody has told telling ${telling} of stage ${number}.`);
    const { stage } = program;
    const calls = expectedAnswers(stage, program.telling.forms.flatMap(callsOf));
    const told = calls.filter((one) => one === deed).length;
    return { told, seen: program.isRest ? timesMeant(stage.deeds, deed) - told : 0 };
  }

  placeOf(deed: string, agent: string | null): ProgramPlace {
    const means = ({ deeds }: MissionStage) => timesMeant(deeds, deed) > 0;
    const program = [...this.told.values()].findLast(({ stage }) => means(stage));
    if (program === undefined) throw new Error(`Nobody has told "${deed}".`);
    const { place } = program;
    return (agent === HELPER ? this.helped.get(place.stage) : undefined) ?? place;
  }

  private root(messages: readonly Message[], turn: number): string {
    let standing = begin();
    const replies = messages.filter(({ role }) => role === "assistant").length;
    const feedbacks = messages.filter((message) => message.role === "user" && !isLogNews(message)).slice(1);
    for (let reply = 0; reply < replies; reply++) {
      const said = feedbacks[reply]?.content ?? "";
      const program = this.next(standing);
      if (program === null) break;
      standing = after(standing, program, said);
      const told = this.told.get(turn - replies + reply);
      if (told) Object.assign(told, { feedback: said, succeeded: said.includes(ALL_TOLD) });
    }
    const program = this.next(standing);
    if (program === null) return '(return {:deeds ["all"]})';
    this.told.set(turn, { ...this.told.get(turn), ...program });
    return programOf(program.stage, program.telling, { place: program.place, tools: this.tools });
  }

  private next({ stage: number, telling: count, pending }: Standing): ToldProgram | null {
    const stage = this.mission.stages[number];
    if (stage === undefined) return null;
    const place = { stage: number, telling: count, work: 0, attempt: 0 };
    if (pending === null) return { place, stage, telling: planned(stage.tellings, count) };
    return { place, stage, telling: simple(pending, place), isRest: true };
  }

  /** An agent that is run as a tool tells its own deeds, and returns them. */
  protected helper(messages: readonly Message[]): string {
    const { stage: number, telling, form, number: at } = readWorkName(messages[0]?.content ?? "");
    const stage = this.mission.stages[number] as MissionStage;
    const { forms } = planned(stage.tellings, telling);
    const { works } = forms[form] as ToldForm & { kind: "agents" };
    const attempt = messages.filter(({ role }) => role === "assistant").length;
    const place = { stage: number, telling, work: workNumber(form, at), attempt };
    this.helped.set(number, place);
    return programOf(stage, planned((works[at] as Work).tellings, attempt), { place, tools: this.tools });
  }
}

interface Standing {
  stage: number;
  telling: number;
  /** What is left of a stage whose program went to its end; null = the stage as it is planned. */
  pending: DeedCall[] | null;
}

const begin = (): Standing => ({ stage: 0, telling: 0, pending: null });

/** What the model knows when it has heard what became of its program. */
function after(standing: Standing, { place, stage, telling }: ToldProgram, said: string): Standing {
  const again = { ...standing, telling: standing.telling + 1 };
  if (!said.includes(ALL_TOLD)) return again;
  const pending = telling.forms.flatMap((form, index) =>
    formParts(form).flatMap(({ calls }, part) =>
      notAnswered(stage, calls, readAnswered(said, place, index, part) ?? []),
    ),
  );
  if (pending.length === 0) return { stage: standing.stage + 1, telling: 0, pending: null };
  return { ...again, pending };
}

/** The calls whose deeds are not among the answers. */
function notAnswered(stage: MissionStage, calls: readonly DeedCall[], answers: readonly string[]): DeedCall[] {
  const left = [...answers];
  return calls.filter((call) => {
    const at = left.indexOf(expectedAnswers(stage, [call])[0] as string);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The telling of this number: the last one is told again and again, and nothing goes wrong any more. */
export function planned(tellings: readonly Telling[], count: number): Telling {
  const found = tellings[count];
  if (found !== undefined) return found;
  const last = tellings.at(-1) as Telling;
  return { forms: last.forms.map(withoutFaults), end: { kind: "succeeds" } };
}

function withoutFaults(form: ToldForm): ToldForm {
  if (form.kind !== "agents") return { ...form, calls: form.calls.map(({ fault: _, ...call }) => call) };
  const works = form.works.map(({ tellings }) => ({ tellings: [planned(tellings, tellings.length)] }));
  return { ...form, works };
}

/** What is left is told plainly: each call by itself, in turn with a task of its own and without one. */
function simple(pending: readonly DeedCall[], { stage, telling }: ProgramPlace): Telling {
  const calls = pending.map(({ fault: _, caught: __, ...call }) => call);
  const forms = calls.map(
    (call, at): ToldForm =>
      telling % 2 === 0
        ? { kind: "task", id: `rest ${stage}.${telling}.${at}`, calls: [call] }
        : { kind: "plain", calls: [call] },
  );
  return { forms, end: { kind: "succeeds" } };
}

export const asReply = (source: string): string => `\`\`\`clojure\n${source}\n\`\`\``;
