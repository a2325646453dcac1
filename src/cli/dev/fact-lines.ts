import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import { joinLines } from "../../core/base/one-line";
import { shortened } from "../../core/base/whole-characters";
import type { MissingThing, MissionFact } from "../../core/history/stream/mission-facts";
import type { ShortReview } from "../../core/review/inbox/short-review";
import { reviewKind } from "../../core/review/kinds";
import { shellWord } from "../../node/shell-word";
import { commands } from "../show/render-review";
import type { Colors } from "../terminal/render";

/** A line of the live log, and the event that machines get. */
export interface FactLine {
  event: string;
  text: string;
  [field: string]: unknown;
}

const MAX_CHARS = 160;

/** The lines of one mission: each fact as people read it, and no fact twice. */
export class FactLines {
  private readonly asked = new Set<string>();
  private readonly calls = new Map<string, string>();
  /** The reasons for waiting that were shown. */
  private readonly lacks = new Set<string>();
  /** Calls that are made again because a worker lacked something. They were shown once. */
  private readonly again = new Set<string>();

  constructor(
    private readonly color: Colors,
    /** The address of the page; null: there is none. */
    private readonly page: string | null,
  ) {}

  of(workflowId: string, fact: MissionFact): FactLine[] {
    const { color } = this;
    switch (fact.type) {
      case "asked_model":
        if (this.again.delete(`turn ${fact.call}`)) return [];
        return [{ event: "model_asked", call: fact.call, text: color.dim(`turn ${fact.call}: the model is asked`) }];
      case "reply":
        return [
          {
            event: "model_answered",
            call: fact.call,
            content: fact.content,
            ...defined({ calls: fact.calls }),
            text: `turn ${fact.call}: ${short(programIn(fact.content)) || asksFor(fact.calls)}`,
          },
        ];
      case "no_reply":
        if (fact.missing !== undefined) return this.blocked(workflowId, fact.missing, `turn ${fact.call}`);
        return [
          {
            event: "model_failed",
            call: fact.call,
            text: color.red(`turn ${fact.call}: the model did not answer (navigator log ${shellWord(workflowId)})`),
          },
        ];
      case "tool": {
        const call = `${fact.name} ${short(JSON.stringify(fact.args))}`;
        this.calls.set(fact.id, call);
        if (this.again.delete(call)) return [];
        return [{ event: "tool_called", name: fact.name, args: fact.args, id: fact.id, text: `calls ${call}` }];
      }
      case "tool_result":
        if (fact.missing !== undefined) return this.blocked(workflowId, fact.missing, this.calls.get(fact.id));
        return [this.answered(fact)];
      case "waits":
        return fact.reviews.flatMap((review) => this.review(review));
      case "parked":
        return fact.parked === null ? [] : [this.parked(fact.parked.waiting)];
      case "blocked":
        return fact.missing === null ? this.unblocked() : this.blocked(workflowId, fact.missing);
      case "over":
        return [this.over(fact.end)];
    }
  }

  private answered({ id, answer }: MissionFact & { type: "tool_result" }): FactLine {
    const name = (this.calls.get(id) ?? "call").split(" ")[0];
    if (!answer.ok) {
      const { message } = answer;
      return { event: "tool_failed", id, message, text: this.color.red(`${name} failed: ${short(message)}`) };
    }
    const { value } = answer;
    return { event: "tool_answered", id, value, text: `${name} answered ${short(JSON.stringify(value))}` };
  }

  private parked(waiting: Json): FactLine {
    const text = this.color.yellow(`waits for a decision in its journal: ${short(JSON.stringify(waiting))}`);
    return { event: "parked", waiting, text };
  }

  /** What a call lacks, once, however often it is made again. */
  private blocked(workflowId: string, { kind, name, text, help }: MissingThing, call?: string): FactLine[] {
    if (call !== undefined) this.again.add(call);
    if (this.lacks.has(text)) return [];
    this.lacks.add(text);
    const line = this.color.yellow(
      `blocked: ${short(text)}; the mission continues when a worker can make this call (navigator log ${shellWord(workflowId)})`,
    );
    return [{ event: "blocked", kind, name, missing: text, help, text: line }];
  }

  private unblocked(): FactLine[] {
    if (this.lacks.size === 0) return [];
    this.lacks.clear();
    return [{ event: "unblocked", text: "no longer blocked" }];
  }

  /** A review that waits, once. */
  private review(review: ShortReview): FactLine[] {
    if (this.asked.has(review.id)) return [];
    this.asked.add(review.id);
    const { args } = reviewKind(review).about(review.data);
    const asked = args === undefined ? review.title : `${review.title} ${JSON.stringify(args)}`;
    const link = this.page === null ? null : `${this.page}/inbox/${encodeURIComponent(review.id)}`;
    const command = (commands(review)[0] ?? "").replace(/^Decide:\s*/, "npx ");
    return [
      {
        event: "review_waits",
        review: review.id,
        title: review.title,
        choices: review.choices,
        link,
        text: `${this.color.yellow(`waits for a person: ${short(asked)}`)}  ${link === null ? "" : `${link}  or: `}${command}`,
      },
    ];
  }

  private over(end: (MissionFact & { type: "over" })["end"]): FactLine {
    const { color } = this;
    if (end.state === "completed")
      return {
        event: "completed",
        value: end.value,
        text: color.green(`completed: ${short(JSON.stringify(end.value))}`),
      };
    if (end.state === "cancelled") return { event: "cancelled", text: color.yellow("cancelled") };
    return {
      event: "failed",
      fail: end.fail as unknown as Json,
      text: color.red(`failed: ${end.fail.reason}: ${short(end.fail.message)}`),
    };
  }
}

const asksFor = (calls: readonly string[] = []): string =>
  calls.length === 0 ? "no text" : `asks for ${calls.join(", ")}`;

const short = (text: string): string => shortened(joinLines(text).trim(), MAX_CHARS);

/** Gives the program of an answer, which is its most useful part; without one, all of it. */
const programIn = (content: string): string => /```[a-z]*\n([\s\S]*?)```/.exec(content)?.[1] ?? content;
