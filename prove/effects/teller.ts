import { isLogNews } from "../../src/core/agent/prompt/mission-log-news";
import type { Message, ModelReply } from "../../src/core/calls/host";
import type { ModelCall } from "../../src/models/model";
import type { CallPlace, ProgramPlace } from "./missions/call-place";
import { workNumber } from "./missions/faults";
import {
  callsOf,
  type EffectCall,
  type EffectMission,
  formParts,
  type MissionStage,
  type Script,
  type ScriptForm,
  type Work,
} from "./missions/mission";
import { ALL_SENT, expectedAnswers, HELPER, programOf, readAnswered, readWorkName } from "./missions/program";
import type { ProofTools } from "./missions/proof-tool";
import { timesWanted, type WantedAndSent } from "./person";

/** A program of the mission's own agent, and the feedback after it. */
export interface SentProgram {
  place: ProgramPlace;
  stage: MissionStage;
  script: Script;
  /** It requests only the effects that the model has not seen done. */
  isRest?: true;
  /** Absent as long as the model was not asked again. */
  feedback?: string;
  /** Whether the model saw that the program went to its end. */
  succeeded?: boolean;
}

/**
 * The model of a mission: it sends the scripts of each stage, until it has seen that all of its effects are
 * done. Its reply depends on nothing but the conversation, so that it may be asked again at any time.
 */
export class Teller implements WantedAndSent {
  /** The programs of the mission's own agent, by turn. */
  readonly sent = new Map<number, SentProgram>();
  /** The last program of the agents of each stage. */
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

  countOf(effect: string, { stage: number, script }: CallPlace): { sent: number; seen: number } {
    const program = [...this.sent.values()].find(({ place }) => place.stage === number && place.script === script);
    if (program === undefined) throw new Error(`Nobody has sent script ${script} of stage ${number}.`);
    const { stage } = program;
    const calls = expectedAnswers(stage, program.script.forms.flatMap(callsOf));
    const sent = calls.filter((one) => one === effect).length;
    return { sent, seen: program.isRest ? timesWanted(stage.effects, effect) - sent : 0 };
  }

  placeOf(effect: string, agent: string | null): ProgramPlace {
    const means = ({ effects }: MissionStage) => timesWanted(effects, effect) > 0;
    const program = [...this.sent.values()].findLast(({ stage }) => means(stage));
    if (program === undefined) throw new Error(`Nobody has requested "${effect}".`);
    const { place } = program;
    return (agent === HELPER ? this.helped.get(place.stage) : undefined) ?? place;
  }

  private root(messages: readonly Message[], turn: number): string {
    let standing = begin();
    const replies = messages.filter(({ role }) => role === "assistant").length;
    const feedbacks = messages.filter((message) => message.role === "user" && !isLogNews(message)).slice(1);
    for (let reply = 0; reply < replies; reply++) {
      const feedback = feedbacks[reply]?.content ?? "";
      const program = this.next(standing);
      if (program === null) break;
      standing = after(standing, program, feedback);
      const sent = this.sent.get(turn - replies + reply);
      if (sent) Object.assign(sent, { feedback: feedback, succeeded: feedback.includes(ALL_SENT) });
    }
    const program = this.next(standing);
    if (program === null) return '(return {:effects ["all"]})';
    this.sent.set(turn, { ...this.sent.get(turn), ...program });
    return programOf(program.stage, program.script, { place: program.place, tools: this.tools });
  }

  private next({ stage: number, script: count, pending }: Standing): SentProgram | null {
    const stage = this.mission.stages[number];
    if (stage === undefined) return null;
    const place = { stage: number, script: count, work: 0, attempt: 0 };
    if (pending === null) return { place, stage, script: planned(stage.scripts, count) };
    return { place, stage, script: simple(pending, place), isRest: true };
  }

  /** An agent that is run as a tool requests its own effects, and returns them. */
  protected helper(messages: readonly Message[]): string {
    const { stage: number, script, form, number: at } = readWorkName(messages[0]?.content ?? "");
    const stage = this.mission.stages[number] as MissionStage;
    const { forms } = planned(stage.scripts, script);
    const { works } = forms[form] as ScriptForm & { kind: "agents" };
    const attempt = messages.filter(({ role }) => role === "assistant").length;
    const place = { stage: number, script, work: workNumber(form, at), attempt };
    this.helped.set(number, place);
    return programOf(stage, planned((works[at] as Work).scripts, attempt), { place, tools: this.tools });
  }
}

interface Standing {
  stage: number;
  script: number;
  /** What is left of a stage whose program went to its end; null = the stage as it is planned. */
  pending: EffectCall[] | null;
}

const begin = (): Standing => ({ stage: 0, script: 0, pending: null });

/** The model's state of knowledge after the feedback on its program. */
function after(standing: Standing, { place, stage, script }: SentProgram, feedback: string): Standing {
  const again = { ...standing, script: standing.script + 1 };
  if (!feedback.includes(ALL_SENT)) return again;
  const pending = script.forms.flatMap((form, index) =>
    formParts(form).flatMap(({ calls }, part) =>
      notAnswered(stage, calls, readAnswered(feedback, place, index, part) ?? []),
    ),
  );
  if (pending.length === 0) return { stage: standing.stage + 1, script: 0, pending: null };
  return { ...again, pending };
}

/** The calls whose effects are not among the answers. */
function notAnswered(stage: MissionStage, calls: readonly EffectCall[], answers: readonly string[]): EffectCall[] {
  const left = [...answers];
  return calls.filter((call) => {
    const at = left.indexOf(expectedAnswers(stage, [call])[0] as string);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The script of this number: the last one is sent again and again, and nothing goes wrong any more. */
export function planned(scripts: readonly Script[], count: number): Script {
  const found = scripts[count];
  if (found !== undefined) return found;
  const last = scripts.at(-1) as Script;
  return { forms: last.forms.map(withoutFaults), end: { kind: "succeeds" } };
}

function withoutFaults(form: ScriptForm): ScriptForm {
  if (form.kind !== "agents") return { ...form, calls: form.calls.map(({ fault: _, ...call }) => call) };
  const works = form.works.map(({ scripts }) => ({ scripts: [planned(scripts, scripts.length)] }));
  return { ...form, works };
}

/** A plain script for the rest: each call separately, in turn with a separate task and without one. */
function simple(pending: readonly EffectCall[], { stage, script }: ProgramPlace): Script {
  const calls = pending.map(({ fault: _, caught: __, ...call }) => call);
  const forms = calls.map(
    (call, at): ScriptForm =>
      script % 2 === 0
        ? { kind: "task", id: `rest ${stage}.${script}.${at}`, calls: [call] }
        : { kind: "plain", calls: [call] },
  );
  return { forms, end: { kind: "succeeds" } };
}

export const asReply = (source: string): string => `\`\`\`clojure\n${source}\n\`\`\``;
