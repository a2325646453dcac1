import type { Json } from "../../../../src/core/base/json";
import type { LedgerEntry } from "../../../../src/core/effects/entry";
import { checkDecision } from "../../../../src/core/review/decide";
import { reviewRequest } from "../../../../src/core/review/kinds";
import { openReview } from "../../../../src/core/review/request";

/** What a person says that a tool answered, when its answer was lost. */

const CALL = { args: { n: 1 }, turn: 1 };
const ENTRY = { key: "agent/x~1", at: 0, args: CALL.args } as unknown as LedgerEntry;

function decided(signature: string | undefined, value?: Json) {
  const spec = { name: "wire", effect: "irreversible" as const, ...(signature === undefined ? {} : { signature }) };
  const review = openReview(reviewRequest("unknown_effect", { tool: spec, call: CALL, entry: ENTRY }), "wire/1", 0);
  const decision = { review: "wire/1", choice: "it_happened", by: "anna", ...(value === undefined ? {} : { value }) };
  return checkDecision([review], decision, 0);
}

test("must be there, and be what the tool answers", () => {
  const signature = "(n :int) -> {tx :string}";
  expect(decided(signature)).toMatchObject({ reason: "invalid_decision", message: expect.stringContaining("missing") });
  expect(decided(signature, { tx: 5 })).toMatchObject({ reason: "invalid_decision", details: { signature } });
  expect(decided(signature, { tx: "tx_5" })).toBeNull();
});

test("is anything where the tool has no signature", () => {
  expect(decided(undefined)).toBeNull();
  expect(decided(undefined, 5)).toBeNull();
});
