import { askingTurn } from "../../../../src/core/history/why/asking-turn";
import { reviewsInHistory } from "../../../../src/core/history/why/reviews-in-history";
import { type ExportedHistory, readRecorded } from "../../../support/recorded";

/** What was decided before is read from histories, of closed work too. */

const idOf = ({ events }: ExportedHistory): string =>
  String((events[0]?.workflowExecutionStartedEventAttributes as { workflowId?: string } | undefined)?.workflowId);

const reviewsOf = (file: string) => {
  const history = readRecorded(file);
  return reviewsInHistory(idOf(history), [history]);
};

test.each([
  [
    "inbox-agent.json",
    { kind: "approval", tool: "pay", state: "decided", said: ["anna approve", "ben approve"], args: { cents: 5 } },
  ],
  ["verified-gate.json", { kind: "gate", step: "approval", state: "decided", said: ["anna passed"] }],
  ["inbox-plan.json", { kind: "plan_review", step: "ask", state: "decided", said: ["anna approve"] }],
  ["inbox-task-continued.json", { kind: "gate", step: "check", state: "open", said: [] }],
  ["notified.json", { kind: "question", state: "decided", said: ["anna yes"] }],
  // The only vote was taken back.
  ["verified-withdrawn-by-signal.json", { kind: "approval", state: "withdrawn", said: [], args: { order: 7 } }],
] as const)("%s tells what was asked and what was decided", (file, { said, ...facts }) => {
  const [review] = reviewsOf(file);
  expect(review).toMatchObject(facts);
  expect(review?.votes.map(({ by, choice }) => `${by} ${choice}`)).toEqual(said);
});

test("what a decision adds is told with it", () => {
  const [first] = reviewsOf("agent-shared-budget-topped-up.json");
  expect(first?.votes[0]).toMatchObject({ choice: "top_up", value: { tokens: expect.any(Number) } });
});

test("the turn that asks has its program, with the lines that call the tool", () => {
  const history = readRecorded("verified-requested-by.json");
  const [review] = reviewsOf("verified-requested-by.json");
  const asked = askingTurn({ data: { tool: "pay", turn: 1 }, createdAt: review?.asked_at ?? 0 }, [history]);
  expect(asked).toMatchObject({ turn: 1, lines: [1], budget: null });
  expect(asked?.program).toContain("tool/pay");
  // The mission was woken later, and began again with turn 1.
  const woken = readRecorded("inbox-agent.json");
  const [first] = reviewsOf("inbox-agent.json");
  const { invocation } = askingTurn({ data: { turn: 1 }, createdAt: first?.asked_at ?? 0 }, [woken]) ?? {};
  expect(invocation).toBe(1);
  expect(askingTurn({ data: {}, createdAt: Date.now() }, [readRecorded("verified-gate.json")])).toBeNull();
});
