import type { ToolSpec } from "../../src/core/calls/tool";
import { ProofTools } from "./missions/proof-tool";

const effect = {
  signature: "(to :string, cents :int, memo :string) -> {effect :string, receipt :int}",
  identity: ["to", "cents"],
} as const;
const spec = (name: string, more: Partial<ToolSpec> & Pick<ToolSpec, "effect">): ToolSpec => ({
  name,
  signature: effect.signature,
  identity: [...effect.identity],
  ...more,
});

/** The tools of the built-in missions: each kind of effect, with and without a lookup and an undo. */
export const PAYMENT_TOOLS = {
  /** Cannot be taken back, and nobody can find out later whether it happened. */
  pay: spec("pay", { effect: "irreversible" }),
  /** Names no identity: only people can decide whether a payment in other words is the same. */
  transfer: { name: "transfer", signature: effect.signature, effect: "irreversible" },
  wire: spec("wire", { effect: "irreversible", lookup: true, undo: true }),
  /** A person approves each call. */
  settle: spec("settle", { effect: "irreversible", approval: true }),
  credit: spec("credit", { effect: "write", undo: true }),
  refund: spec("refund", { effect: "write", lookup: true, undo: true }),
  /** A person is asked before an equal one. */
  donate: spec("donate", { effect: "write", on_same_effect: "ask" }),
  /** Every call is wanted. */
  remind: spec("remind", { effect: "write", repeatable: true }),
} satisfies { [name: string]: ToolSpec };

export const PAYMENTS = new ProofTools(Object.values(PAYMENT_TOOLS));

/** The same, with effects that all missions share. */
export const SHARED_PAYMENTS = new ProofTools(
  PAYMENTS.specs.map((spec): ToolSpec => (spec.identity ? { ...spec, identity_scope: "namespace" } : spec)),
);
