import { defined } from "../../base/defined";
import { type Failure, failed } from "../../base/failure";
import { isBelow, toolOfRun } from "../../base/ids";
import type { Missing } from "../../base/input/missing";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import type { ParkedWait } from "../../review/inbox/inbox-entry";
import { readShortReviews, type ShortReview } from "../../review/inbox/short-review";
import { type FactFailure, type FactOf, type FactReaders, type HistoryFact, readFact } from "../read/facts";
import { workflowEnd } from "../read/workflow-end";

/** A fact that the history of one workflow shows to the followers of its conversation (web reference, section 9). */
export type MissionFact =
  /** A model is asked. `call` is the 1-based number of the call in its run. */
  | { type: "asked_model"; call: number }
  /** The model answered: this text counts, whatever the stream had. `calls`: the tools that it asks for besides. */
  | { type: "reply"; call: number; content: string; calls?: string[] }
  /** `missing`: the worker that was asked lacks what the call needs (see `blocked`). */
  | { type: "no_reply"; call: number; missing?: MissingThing }
  /** A tool is called, or an agent as a tool, in the workflow `child`. `review`: people approved this call. */
  | { type: "tool"; id: string; name: string; args: JsonObject; review?: string; child?: string }
  | {
      type: "tool_result";
      id: string;
      answer: { ok: true; value: Json } | { ok: false; message: string };
      missing?: MissingThing;
    }
  /** The run waits for a worker that has what a call needs; null: no call waits for that any more. */
  | { type: "blocked"; missing: MissingThing | null }
  /** The open work of people: all open reviews, and the park of a run that waits for a decision in its journal. */
  | { type: "waits"; reviews: ShortReview[] }
  | { type: "parked"; parked: ParkedWait | null }
  | { type: "over"; end: MissionOver };

/** What a call needs that the worker does not have: see `core/calls/missing`. */
export type MissingThing = Pick<Missing, "kind" | "name" | "text" | "help">;

/** How a mission ended, with what it returned. */
export type MissionOver =
  | { state: "completed"; value: Json }
  | { state: "cancelled" }
  | { state: "failed"; fail: Pick<Failure, "reason" | "message"> };

/**
 * The mission facts of one run of a workflow, in the order of its history.
 *
 * @param runId of Temporal: ids of tool calls have its beginning, so that no two runs have the same
 */
export const missionFacts = (workflowId: string, runId: string, history: readonly HistoryFact[]): MissionFact[] =>
  timedFacts(workflowId, runId, history).map(({ fact }) => fact);

/** The same, each with the time of its event, ms since 1970. */
export function timedFacts(
  workflowId: string,
  runId: string,
  history: readonly HistoryFact[],
): { fact: MissionFact; at: number }[] {
  const readers = new MissionReader(workflowId, runId.slice(0, 8)).readers;
  return history.flatMap((one) => (readFact(readers, one) ?? []).map((fact) => ({ fact, at: one.at })));
}

class MissionReader {
  private readonly activities = new Map<number, FactOf<"activity_scheduled">>();
  /** The agents that are called as tools: the ids of these calls. */
  private readonly agents = new Map<number, string>();

  constructor(
    private readonly workflowId: string,
    private readonly run: string,
  ) {}

  readonly readers: FactReaders<MissionFact[]> = {
    activity_scheduled: (fact) => this.asked(fact),
    activity_ended: (fact) => this.answered(fact),
    child_asked: (fact) => this.childAsked(fact),
    child_ended: (fact) => this.childEnded(fact),
    // A run that continues another one begins with the open reviews in its memo.
    started: ({ memo }) => waits(memo),
    memo_changed: ({ memo }) => waits(memo),
    ended: (fact) => over(fact),
  };

  private asked(fact: FactOf<"activity_scheduled">): MissionFact[] {
    this.activities.set(fact.id, fact);
    const { activity, input = {} } = fact;
    if (activity === "callModel" && typeof input.call === "number") return [{ type: "asked_model", call: input.call }];
    if (activity !== "callTool" || typeof input.name !== "string") return [];
    const args = isObject(input.args) ? input.args : {};
    const call = { type: "tool" as const, id: this.toolId(fact), name: input.name, args };
    return [{ ...call, ...defined({ review: reviewOf(fact) }) }];
  }

  private idOf(fact: number): string {
    return `${this.workflowId}#${this.run}.${fact}`;
  }

  /** A call that people approved has the id of its review: it was shown with it before it was made. */
  private toolId(fact: FactOf<"activity_scheduled">): string {
    return reviewOf(fact) ?? this.idOf(fact.id);
  }

  private answered({ call: id, result, failure }: FactOf<"activity_ended">): MissionFact[] {
    const asked = this.activities.get(id);
    if (asked === undefined) return [];
    const missing = defined({ missing: missingIn(failure) });
    if (asked.activity === "callModel") {
      const call = Number(asked.input?.call);
      return isObject(result) && typeof result.content === "string"
        ? [{ type: "reply", call, content: result.content, ...defined({ calls: calledIn(result.tool_calls) }) }]
        : [{ type: "no_reply", call, ...missing }];
    }
    if (asked.activity !== "callTool") return [];
    return [{ type: "tool_result", id: this.toolId(asked), answer: answerOf(result) ?? noAnswer(failure), ...missing }];
  }

  /** An agent that is called as a tool runs below the one that calls it. */
  private childAsked({ id, workflow_id: child, input }: FactOf<"child_asked">): MissionFact[] {
    const { workflowId } = this;
    if (!isBelow(child, workflowId)) return [];
    const call = this.idOf(id);
    this.agents.set(id, call);
    const args = isObject(input?.context) ? input.context : {};
    return [{ type: "tool", id: call, name: toolOfRun(workflowId, child), args, child }];
  }

  private childEnded({ call, outcome, result: step, failure }: FactOf<"child_ended">): MissionFact[] {
    const id = this.agents.get(call);
    if (id === undefined || outcome === "not_started") return [];
    if (!isObject(step)) return [{ type: "tool_result", id, answer: noAnswer(failure) }];
    if (isObject(step.fail))
      return [{ type: "tool_result", id, answer: { ok: false, message: String(step.fail.message) } }];
    return [{ type: "tool_result", id, answer: { ok: true, value: step.return ?? null } }];
  }
}

/** The review in which people approved a call. */
function reviewOf({ input }: FactOf<"activity_scheduled">): string | undefined {
  const review = isObject(input?.approval) ? input.approval.review : undefined;
  return typeof review === "string" ? review : undefined;
}

const calledIn = (calls: Json | undefined): string[] | undefined =>
  Array.isArray(calls) && calls.length > 0
    ? calls.flatMap((call) => (isObject(call) ? [String(call.name)] : []))
    : undefined;

const missingIn = (failure: FactFailure | undefined): MissingThing | undefined =>
  failure?.type === "configuration_error" ? missingThing(failure.details) : undefined;

function missingThing(found: Json | undefined): MissingThing | undefined {
  if (!isObject(found) || typeof found.text !== "string") return undefined;
  const { kind, name, text, help } = found as unknown as Missing;
  return { kind, name, text, help };
}

function answerOf(result: Json | undefined): (MissionFact & { type: "tool_result" })["answer"] | null {
  if (!isObject(result)) return null;
  if (result.ok === true) return { ok: true, value: result.value ?? null };
  return isObject(result.fail) ? { ok: false, message: String(result.fail.message) } : null;
}

const noAnswer = (failure: FactFailure | undefined): { ok: false; message: string } => ({
  ok: false,
  message: failure?.message || "The call did not end.",
});

function waits({ reviews, parked, blocked }: JsonObject): MissionFact[] {
  return [
    ...(reviews === undefined ? [] : [{ type: "waits" as const, reviews: readShortReviews(reviews).open }]),
    ...(parked === undefined ? [] : [{ type: "parked" as const, parked: isObject(parked) ? (parked as never) : null }]),
    ...(blocked === undefined ? [] : [{ type: "blocked" as const, missing: missingThing(blocked) ?? null }]),
  ];
}

function over(fact: FactOf<"ended">): MissionFact[] {
  const { state, fail = failed("agent_lost", "The mission was ended from outside.").fail } = workflowEnd(fact);
  if (state === "cancelled") return [{ type: "over", end: { state } }];
  if (state !== "completed")
    return [{ type: "over", end: { state: "failed", fail: { reason: fail.reason, message: fail.message } } }];
  const { result } = fact;
  const value = isObject(result) ? (result.return ?? null) : (result ?? null);
  return [{ type: "over", end: { state, value } }];
}
