import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { joinLines } from "../../base/one-line";
import { LISTS_TIMER } from "../../base/search-attributes";
import { effectChangeText } from "../../effects/effect-notes";
import type { EffectChange, EffectEntry } from "../../effects/entry";
import { isEffectChange, isRecordChange, isReset, type RecordChange } from "../../journal/changes";
import { type FactOf, type FactReaders, type HistoryFact, readFact } from "./facts";
import { refusedSignals } from "./refused-signals";
import { failOf, workflowEnd, workflowEndText } from "./workflow-end";

/** One action of a mission, or one message to it, with its time: a line of the timeline. */
export interface TimelineEntry {
  /** Ms since 1970. */
  at: number;
  kind: "start" | "model" | "tool" | "child" | "record" | "reset" | "effect" | "signal" | "update" | "wait" | "end";
  text: string;
  /** From schedule to result, ms; absent while it runs. */
  duration_ms?: number;
  /** Its outcome, if it is worth showing. */
  outcome?: "ok" | "failed" | "retried";
  attempts?: number;
}

/** The timeline in the facts of one history, in their order. */
export function timelineOf(facts: readonly HistoryFact[]): TimelineEntry[] {
  const timeline = new Timeline();
  for (const fact of facts) timeline.read(fact);
  for (const { event } of refusedSignals(facts)) timeline.refuse(event);
  return timeline.entries;
}

class Timeline {
  readonly entries: TimelineEntry[] = [];
  /** By the ids of their facts. */
  private readonly open = new Map<number, TimelineEntry>();
  private readonly effects = new Map<string, EffectEntry>();

  read(fact: HistoryFact): void {
    for (const change of fact.changes) if (isRecordChange(change)) this.entries.push(recorded(change, fact));
    for (const change of fact.changes) if (isEffectChange(change)) this.entries.push(this.changed(change, fact));
    readFact(this.readers, fact);
  }

  refuse(id: number, why = ""): void {
    const entry = this.open.get(id);
    if (entry === undefined) return;
    entry.text += `, refused${why}`;
    entry.outcome = "failed";
  }

  private readonly readers: FactReaders<void> = {
    started: (fact) => this.add(fact, "start", `started ${fact.workflow_type}`),
    activity_scheduled: (fact) => this.add(fact, kindOf(fact.activity), fact.summary ?? fact.activity),
    activity_started: ({ call, attempt }) => {
      const entry = this.open.get(call);
      if (entry && attempt > 1) entry.attempts = attempt;
    },
    // Nobody waits for an activity that was cancelled.
    activity_ended: (fact) => {
      if (fact.outcome !== "cancelled")
        this.close(fact, fact.call, fact.outcome === "completed" && !isFailed(fact.result));
    },
    local_activity: (fact) => this.local(fact),
    child_asked: (fact) => this.add(fact, "child", `${fact.workflow_type} ${fact.workflow_id}`),
    child_ended: (fact) => {
      const { outcome, call } = fact;
      if (outcome === "completed") this.close(fact, call, failOf(fact.result) === null);
      if (outcome === "failed") this.close(fact, call, false);
    },
    signal: (fact) => this.add(fact, "signal", `signal ${fact.name}${decisionText(fact.input)}`),
    cancel_requested: (fact) => {
      if (fact.cause !== "") this.add(fact, "signal", joinLines(`cancel requested by ${fact.cause}`));
    },
    update_accepted: (fact) => this.add(fact, "update", `update ${fact.name}${decisionText(fact.input)}`),
    // An update that came into the history and was refused then changed nothing.
    update_completed: ({ accepted, failure }) => {
      if (failure) this.refuse(accepted, failure.type ? `: ${failure.type}` : "");
    },
    // Nobody waits for the update of lists.
    timer_started: (fact) => {
      if (fact.summary !== LISTS_TIMER) this.add(fact, "wait", fact.summary ?? "timer");
    },
    timer_ended: (fact) => this.close(fact, fact.timer, true),
    ended: (fact) => this.ended(fact),
    continued_as_new: (fact) => this.add(fact, "end", "continued as new"),
  };

  private add({ id, at }: HistoryFact, kind: TimelineEntry["kind"], text: string, outcome?: "ok" | "failed"): void {
    const entry = { at, kind, text, ...defined({ outcome }) };
    this.open.set(id, entry);
    this.entries.push(entry);
  }

  private close({ at }: HistoryFact, opener: number, isOk: boolean): void {
    const entry = this.open.get(opener);
    if (!entry) return;
    entry.duration_ms = Math.max(0, at - entry.at);
    entry.outcome = isOk ? "ok" : "failed";
  }

  private ended(fact: FactOf<"ended">): void {
    const end = workflowEnd(fact);
    const isBad = end.state !== "completed" && end.state !== "cancelled";
    this.add(fact, "end", workflowEndText(end), isBad ? "failed" : undefined);
  }

  private local(fact: FactOf<"local_activity">): void {
    const { activity, answer, failure, summary } = fact;
    // A run that looks at its own activity calls nobody.
    if (activity === "readKeptCalls") return;
    const isOk = failure === undefined && !isFailed(answer);
    this.add(fact, kindOf(activity), summary ?? (activity || "local activity"), isOk ? "ok" : "failed");
  }

  /** An effect without a call was refused, not done again, or cleared up. */
  private changed({ effect }: EffectChange, { at }: HistoryFact): TimelineEntry {
    const text = joinLines(effectChangeText(effect, this.effects.get(effect.key)));
    this.effects.set(effect.key, effect);
    return { at, kind: "effect", text };
  }
}

const kindOf = (activity: string): "model" | "tool" => (activity === "callModel" ? "model" : "tool");

/** A tool that answered with a failure completed its activity all the same: the answer shows it. */
const isFailed = (answer: Json | undefined): boolean => isObject(answer) && answer.ok === false;

/** A record that comes with a later command has a separate time. */
function recorded(change: RecordChange, { kind, at }: HistoryFact): TimelineEntry {
  if (isReset(change)) return { at, kind: "reset", text: `reset ${change.id}` };
  const isOlder = typeof change.at === "number" && kind !== "memo_changed";
  return { at: isOlder ? Math.min(change.at, at) : at, kind: "record", text: `recorded ${change.id}` };
}

/** The author of a message, if it names one: `: approve, by anna`. */
function decisionText({ by, choice, id, note }: JsonObject = {}): string {
  if (typeof by !== "string") return "";
  const what = typeof choice === "string" ? choice : typeof id === "string" ? id : "";
  return joinLines(`: ${what}, by ${by}${typeof note === "string" ? ` (${note})` : ""}`);
}
