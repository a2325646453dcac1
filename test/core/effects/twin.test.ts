import type { JsonObject } from "../../../src/core/base/json";
import { differingTexts, firmDigest, isTwin } from "../../../src/core/effects/twin";

const paid = { to: "acme", cents: 500, memo: "for June" };

test.each<[string, JsonObject, JsonObject, string[] | undefined]>([
  ["the same call", paid, paid, undefined],
  ["another memo", { ...paid, memo: "June, as agreed" }, paid, ["memo"]],
  ["one word as another memo", { ...paid, memo: "Juni" }, { ...paid, memo: "June" }, ["memo"]],
  ["a memo that is left out", { to: "acme", cents: 500 }, paid, ["memo"]],
  ["a memo that is null", { ...paid, memo: null }, paid, ["memo"]],
  ["another amount", { ...paid, cents: 501, memo: "x" }, paid, undefined],
  ["another recipient", { ...paid, to: "bob", memo: "x" }, paid, undefined],
  ["recipients with blanks", { to: "Ada Ross", cents: 5 }, { to: "Ben Ross", cents: 5 }, undefined],
  ["another id", { ...paid, invoice: "A-2" }, { ...paid, invoice: "A-1" }, undefined],
  ["an id that is left out", { ...paid, invoice: "A-2" }, paid, undefined],
  ["a text under any name", { cents: 5, zweck: "Miete" }, { cents: 5, zweck: "die Miete im Juni" }, ["zweck"]],
  ["a word under any name", { cents: 5, kind: "gift" }, { cents: 5, kind: "loan" }, undefined],
  ["a flag", { ...paid, express: true }, { ...paid, express: false }, undefined],
  ["texts inside", { lines: [{ cents: 5, note: "a" }] }, { lines: [{ cents: 5, note: "b" }] }, ["lines[0].note"]],
  ["a number inside", { lines: [{ cents: 5 }] }, { lines: [{ cents: 6 }] }, undefined],
  ["another length", { lines: ["a b"] }, { lines: ["a b", "c d"] }, undefined],
  ["a name of two words", { cents: 5, invoiceNote: "a" }, { cents: 5, invoiceNote: "b" }, ["invoiceNote"]],
  ["`-` and `_`", { cents: 5, "invoice-note": "a" }, { cents: 5, invoice_note: "b" }, ["invoice_note"]],
])("%s", (_, now, before, texts) => {
  expect(differingTexts(now, before)).toEqual(texts);
  expect(differingTexts(before, now)).toEqual(texts);
});

test("a default of the tool counts as left out", () => {
  const takes = { fields: { currency: { default: "eur" } } };
  expect(isTwin({ takes }, { cents: 5, currency: "eur", memo: "a" }, { args: { cents: 5, memo: "b" } })).toBe(true);
});

test.each([
  [{ cents: 5, memo: "other words" }, true],
  [{ cents: 6, memo: "other words" }, false],
])("without its arguments an earlier call is compared by its digest: %j", (now, is) => {
  const firm = firmDigest({ cents: 5, memo: "a long memo" });
  expect(isTwin({}, now, { firm })).toBe(is);
});
