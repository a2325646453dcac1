import type { JsonObject } from "../../core/base/json";
import type { ToolSpec } from "../../core/calls/tool";

const deed = {
  signature: "(to :string, cents :int, memo :string) -> {deed :string, receipt :int}",
  identity: ["to", "cents"],
} as const;
const spec = (name: string, more: Partial<ToolSpec> & Pick<ToolSpec, "effect">): ToolSpec => ({
  name,
  signature: deed.signature,
  identity: [...deed.identity],
  ...more,
});

/** The tools of the payment service: each kind of effect, with and without a lookup and an undo. */
export const PAYMENT_TOOLS = {
  /** Cannot be taken back, and nobody can say later whether it happened. */
  pay: spec("pay", { effect: "irreversible" }),
  wire: spec("wire", { effect: "irreversible", lookup: true, undo: true }),
  /** A person approves each call. */
  settle: spec("settle", { effect: "irreversible", approval: true }),
  credit: spec("credit", { effect: "write", undo: true }),
  refund: spec("refund", { effect: "write", lookup: true, undo: true }),
  /** A person is asked before an equal one. */
  donate: spec("donate", { effect: "write", on_same_effect: "ask" }),
  /** Every call is meant. */
  remind: spec("remind", { effect: "write", repeatable: true }),
} satisfies { [name: string]: ToolSpec };

export type PaymentTool = keyof typeof PAYMENT_TOOLS;
export const PAYMENT_TOOL_NAMES = Object.keys(PAYMENT_TOOLS) as PaymentTool[];

/** The arguments of a call. */
export interface PaymentArgs extends JsonObject {
  to: string;
  cents: number;
  memo: string;
}

/** Where a call was told: free text of the call carries it, so that service and person can tell calls apart. */
export interface ToldPlace {
  stage: number;
  telling: number;
  /** The agent: 0 is the one that was started. */
  work: number;
  /** Which try of that agent. */
  attempt: number;
  nth: number;
}

export const memoOf = ({ stage, telling, work, attempt, nth }: ToldPlace, words: string): string =>
  `#${stage}.${telling}.${work}.${attempt}.${nth}. ${words}`;

const MEMO = /^#(\d+)\.(\d+)\.(\d+)\.(\d+)\.(\d+)\. /;

/** @throws Error for a text that no program of the proof wrote */
export function toldPlaceOf(memo: unknown): ToldPlace {
  const found = MEMO.exec(String(memo));
  if (found === null) throw new Error(`No program of the proof wrote the memo ${JSON.stringify(memo)}.`);
  const [, stage, telling, work, attempt, nth] = found.map(Number) as [number, number, number, number, number, number];
  return { stage, telling, work, attempt, nth };
}
