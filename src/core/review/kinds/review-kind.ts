import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { ReviewTerms } from "../policy/terms";
import type { SealedCall } from "./sealed-call";

/**
 * The rules of one kind of review: what people are asked, who may answer, and how it is shown. Each kind has one
 * file, and `index.ts` lists them; all other code asks these rules and knows no kinds.
 *
 * @typeParam Subject what a question of this kind is made of
 */
export interface ReviewKind<Subject = never> {
  /** What people are asked. */
  ask(subject: Subject): ReviewQuestion;
  /** The person who asked cannot decide it, unless its terms allow it. */
  separates: boolean;
  /**
   * What an agent may do about it where it names no people. `nothing`: it is for people. `move`: move the task that asks,
   * without a decision. `answer`: answer it in words, as a person may; the answer needs no seal.
   */
  agents: "nothing" | "move" | "answer";
  /** What a review with this data is about. Histories, lists and chats find and show it by these fields. */
  about(data: JsonObject): ReviewSubject;
  drawing: ReviewDrawing;
  /** Why a decision that fits the review has no use; null if it has one. Absent = every decision has one. */
  problem?(asked: AskedReview, decision: GivenDecision): Failure | null;
  /**
   * The word for the kind in seals and in the chain. Absent = the kind itself. Recorded seals have the word, so it never
   * changes.
   */
  source?: "tool" | "question" | "plan";
}

/** What people are asked, in the words of its kind. Terms define who decides, and by when. */
export interface ReviewQuestion extends ReviewTerms {
  /** Names the review within its workflow, together with its number: a tool's name. */
  about: string;
  title: string;
  /** Markdown. */
  body: string;
  data: JsonObject;
  choices: string[];
  /** Choice -> its effect on the task that asks. */
  moves?: { [choice: string]: ReviewMove };
  /** With a choice named here a value may be given, which must fit these parameters (signature notation). */
  editable?: { choice: string; parameters: string };
  /** With a choice named here a value must be given: what a tool with this signature answers. */
  answers?: { choice: string; signature: string };
  /** For a call: what its seal covers. */
  sealed?: SealedCall;
}

/** The effect of a choice on the task that asked. */
export type ReviewMove = { kind: "result"; result: string } | { kind: "send_to"; step: string } | { kind: "close" };

/** What a review is about. */
export interface ReviewSubject {
  /** The tool that it asks about. */
  tool?: string;
  /** The arguments of the call; absent: it is no call, or they were too long to be kept. */
  args?: JsonObject;
  /** The step of a graph, or the task of a plan, that asks. */
  step?: string;
  /** The key of the effect that it asks about, where that was made before. */
  effect?: string;
}

/** How a review is shown: in lists, on its card, in a form of a chat. */
export interface ReviewDrawing {
  /** The kind, in lists: `unknown effect`. */
  label: string;
  /** What a person may fill in; absent: nothing. */
  form?: ValueForm;
}

/** What a person fills in with the choice that takes a value. */
export interface ValueForm {
  /** `edit`: the value names the arguments that change. `value`: it is all that is filled in. `answer`: it is the one field. */
  value: "edit" | "value" | "answer";
  /** What the form begins with. */
  given(data: JsonObject): JsonObject;
  /** What is filled in, for the people and programs that send it. */
  about: string;
}

/** The parts of a review that a kind may look at when somebody decides. */
export interface AskedReview {
  id: string;
  data: JsonObject;
}

/** The parts of a decision that a kind may look at. */
export interface GivenDecision {
  choice: string;
  value?: Json | undefined;
}
