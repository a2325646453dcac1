import { approvalOf, approvalProblem, type CallToMake, type SealedApproval } from "../../../src/core/review/approval";
import { ReviewBook } from "../../../src/core/review/book";
import { type Decision, WITHDRAW } from "../../../src/core/review/decision-input";
import type { Review } from "../../../src/core/review/review";
import { byNameAlone } from "../../../src/core/review/verification";

const NOW = 1_000_000;
const DAY = 24 * 60 * 60 * 1_000;
const ARGS = { order: 7, cents: 1_000 };

const asked = (book: ReviewBook, nowMs = NOW): Review =>
  book.request(
    {
      kind: "approval",
      about: "pay",
      title: "Call pay?",
      body: "",
      data: { tool: "pay", args: ARGS },
      choices: ["approve", "reject"],
      editable: { choice: "approve", parameters: "order :int, cents :int" },
      sealed: { tool_version: "v1", mission: "agent/a", place: "1.1", generation: KEY, valid_for_ms: DAY },
    },
    "agent/a",
    nowMs,
  );

function says(book: ReviewBook, said: Decision, nowMs = NOW): void {
  const admitted = book.admit(said, byNameAlone(said), nowMs);
  if (!admitted.ok) throw new Error(admitted.fail.message);
  book.decide(admitted.value, nowMs);
}

/** The yes to a payment, as its call is sent with it. */
function approved(value?: Decision["value"]): SealedApproval {
  const book = new ReviewBook([], 0, undefined, () => "0123456789abcdef");
  const { id } = asked(book);
  says(book, { review: id, choice: "approve", by: "anna", ...(value === undefined ? {} : { value }) });
  return approvalOf(book.get(id) as Review) as SealedApproval;
}

const ID = "i".repeat(43);
const OTHER_ID = "o".repeat(43);
const KEY = `agent/a~${ID}~1`;
const CALL: CallToMake = { tool: "pay", tool_version: "v1", args: ARGS, key: KEY };

test("the call that was approved may be made until the yes is too old", () => {
  expect(approvalProblem(approved(), CALL, NOW)).toBeNull();
  expect(approvalProblem(approved(), CALL, NOW + DAY)).toBeNull();
  expect(approvalProblem(approved(), CALL, NOW + DAY + 1)).toMatchObject({ reason: "approval_expired" });
});

test("an edit is what was approved, and nothing else is", () => {
  const half = approved({ cents: 500 });
  const edited = { ...CALL, args: { cents: 500, order: 7 }, key: `agent/a~${OTHER_ID}~1` };
  expect(approvalProblem(half, edited, NOW)).toBeNull();
  for (const key of [`agent/b~${OTHER_ID}~1`, "agent/a~~1.1", `effect~${OTHER_ID}~1`])
    expect(approvalProblem(half, { ...edited, key }, NOW)).toMatchObject({ reason: "seal_broken", details: { key } });
  expect(approvalProblem(half, CALL, NOW)).toMatchObject({ reason: "seal_broken" });
});

test.each<[string, Partial<CallToMake>, (approval: SealedApproval) => SealedApproval]>([
  ["the key of an equal effect", { key: `agent/a~${ID}~2` }, (approval) => approval],
  ["the key of an effect that missions share", { key: `effect~${ID}~1` }, (approval) => approval],
  ["fewer people", {}, (approval) => ({ ...approval, sealed: { ...approval.sealed, quorum: 1 } })],
  ["another tool", { tool: "refund" }, (approval) => approval],
  ["another version of the tool", { tool_version: "v2" }, (approval) => approval],
  ["other arguments", { args: { order: 7, cents: 9_999 } }, (approval) => approval],
  [
    "other arguments, said to be those that were asked about",
    { args: { order: 7, cents: 9_999 } },
    (approval) => ({ ...approval, asked_args: { order: 7, cents: 9_999 } }),
  ],
  ["another place", {}, (approval) => ({ ...approval, sealed: { ...approval.sealed, place: "1.2" } })],
  ["another mission", {}, (approval) => ({ ...approval, sealed: { ...approval.sealed, mission: "agent/b" } })],
  ["another effect", {}, (approval) => ({ ...approval, sealed: { ...approval.sealed, generation: "l" } })],
  [
    "a longer life of the yes",
    {},
    (approval) => ({ ...approval, sealed: { ...approval.sealed, valid_for_ms: 9 * DAY } }),
  ],
  ["another review", {}, (approval) => ({ ...approval, review: "agent/a/pay/2" })],
  ["another nonce", {}, (approval) => ({ ...approval, nonce: "fedcba9876543210" })],
  ["nobody's yes", {}, (approval) => ({ ...approval, decisions: [] })],
  [
    "a yes to another review",
    {},
    (approval) => ({ ...approval, decisions: approval.decisions.map((one) => ({ ...one, review: "agent/a/pay/2" })) }),
  ],
  [
    "a no",
    {},
    (approval) => ({ ...approval, decisions: approval.decisions.map((one) => ({ ...one, choice: "reject" })) }),
  ],
  [
    "a signed word that names no seal",
    {},
    ({ decisions, ...approval }) => ({
      ...approval,
      decisions: decisions.map(({ seal: _, ...one }) => ({ ...one, signature: "e30..x" })),
    }),
  ],
  [
    "a map as a list",
    {
      args: [
        ["order", 7],
        ["cents", 1_000],
      ] as never,
    },
    (approval) => approval,
  ],
])("%s breaks the seal", (_, call, changed) => {
  expect(approvalProblem(changed(approved()), { ...CALL, ...call }, NOW)).toMatchObject({ reason: "seal_broken" });
});

test("every yes of a quorum must still count", () => {
  const approval = approved();
  const [anna] = approval.decisions as [SealedApproval["decisions"][number]];
  const late = { ...approval, decisions: [anna, { ...anna, by: "ben", at: NOW + DAY }] };
  expect(approvalProblem(late, CALL, NOW + DAY)).toBeNull();
  expect(approvalProblem(late, CALL, NOW + DAY + 1)).toMatchObject({ reason: "approval_expired" });
});

test("a yes that was taken back stays known as long as its call may begin", () => {
  const book = new ReviewBook([], 0, 1, () => "0123456789abcdef");
  const { id, seal } = asked(book);
  for (const choice of ["approve", WITHDRAW]) says(book, { review: id, choice, by: "anna" });
  for (let i = 0; i < 5; i++) says(book, { review: asked(book, NOW + 1).id, choice: "reject", by: "anna" }, NOW + 1);
  expect(book.startProblem(id, seal as string, NOW)).toMatchObject({ reason: "approval_revoked" });
  expect(book.all().length).toBeLessThan(5);
});

test("the run refuses an approval that has expired when its call begins, by the clock of the server", () => {
  const book = new ReviewBook([], 0, 1, () => "0123456789abcdef");
  const { id, seal } = asked(book);
  says(book, { review: id, choice: "approve", by: "anna" });
  expect(book.startProblem(id, seal as string, NOW + DAY)).toBeNull();
  expect(book.startProblem(id, seal as string, NOW + DAY + 1)).toMatchObject({ reason: "approval_expired" });
});
