import { defined } from "../base/defined";
import type { Json, JsonObject } from "../base/json";
import type { Review } from "./review";

/** A run's question to people: a tool call to approve, or a question to answer. Times in milliseconds. */
export interface ReviewRequest extends ReviewTerms {
  source: Review["source"];
  /** Names the review within its workflow, together with its number: a tool's name. */
  about: string;
  title: string;
  /** Markdown. */
  body: string;
  data: JsonObject;
  choices: string[];
  /** With a choice named here a value may be given, which must fit these parameters (signature notation). */
  editable?: { choice: string; parameters: string };
  /** With a choice named here a value must be given: what a tool with this signature answers. */
  answers?: { choice: string; signature: string };
}

/** The assignees, the time limit, and the default. */
export interface ReviewTerms {
  /** Who may decide; absent = anyone. */
  assignees?: string[];
  /** How many people must make the same choice; absent = one. */
  quorum?: number;
  /** After this time the default choice is taken. */
  timeout_ms?: number;
  on_timeout?: string;
  /** People are reminded at this interval. */
  remind_ms?: number;
}

/** The decision that closed a review; with a quorum, the choice on which enough people agreed. */
export interface FinalDecision {
  choice: string;
  value?: Json;
  /** The person who decided; `timer` if nobody did in time. With a quorum: all of them, joined. */
  by: string;
  note?: string;
  /** Ms since 1970. */
  at: number;
}

/** The review that a request opens, at `nowMs` (ms since 1970). */
export function openReview(request: ReviewRequest, id: string, nowMs: number): Review {
  const { assignees, quorum, timeout_ms, on_timeout, remind_ms, editable, answers } = request;
  return {
    id,
    source: request.source,
    title: request.title,
    body: request.body,
    data: request.data,
    choices: request.choices,
    createdAt: nowMs,
    status: "open",
    moves: {},
    ...defined({ assignees, quorum }),
    ...(timeout_ms === undefined ? {} : { expiresAt: nowMs + timeout_ms }),
    ...defined({ onTimeout: on_timeout }),
    ...(remind_ms === undefined ? {} : { remindMs: remind_ms, remindAt: nowMs + remind_ms }),
    ...defined({ editable, answers }),
  };
}

/** The decision of a decided review; null while it is open, and if it was withdrawn. */
export function finalDecision({ decision, votes }: Review): FinalDecision | null {
  if (!decision) return null;
  const { choice, value, by, note, at } = decision;
  const agreed = (votes ?? []).filter((vote) => vote.choice === choice).map((vote) => vote.by);
  return {
    choice,
    at,
    by: agreed.length > 1 ? agreed.join(", ") : by,
    ...defined({ value, note }),
  };
}
