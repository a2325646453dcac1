import { draftOf, textsOf } from "../../page/src/parts/arguments-draft";
import { reviewForm, valueOfForm } from "../../page/src/parts/review-change";
import type { Review } from "../../src/core/review/review-schema";

/** What an edit on the card of a review sends. */

const form = (args: object) => {
  const review = {
    kind: "approval",
    editable: { choice: "approve", parameters: "cents :int, note :string?, fast :bool?" },
    data: { args },
  };
  const made = reviewForm(review as never as Review);
  if (made === null) throw new Error("there is no form");
  return made;
};
/** What is sent if these texts are typed over those that the form begins with. */
const sent = (args: object, typed: { [name: string]: string } = {}) => {
  const made = form(args);
  return valueOfForm(made, draftOf(made.fields, { ...textsOf(made.fields, made.given), ...typed }).value);
};

test.each<[string, object]>([
  ["that are not given", { cents: 5 }],
  ["that are null", { cents: 5, note: null, fast: null }],
  ["that are given", { cents: 5, note: "now", fast: false }],
])("arguments %s stay as they are if nothing is typed", (_what, args) => expect(sent(args)).toBeUndefined());

test("only what was typed is sent, and null takes an argument away", () => {
  expect(sent({ cents: 5, note: null }, { cents: "7" })).toEqual({ cents: 7 });
  expect(sent({ cents: 5, fast: null }, { fast: "true" })).toEqual({ fast: true });
  expect(sent({ cents: 5, note: "now" }, { note: "" })).toEqual({ note: null });
});
