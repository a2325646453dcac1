import fc from "fast-check";
import { type ConversationItem, MissionConversation } from "../../../../src/core/history/stream/conversation";
import type { StreamEntry } from "../../../../src/core/history/stream/entry";
import type { MissionFact } from "../../../../src/core/history/stream/mission-facts";
import type { ShortReview } from "../../../../src/core/review/inbox/short-review";
import { assertProperty } from "../../../support/run/property";

const MISSION = "agent/x";

const begin = (call: number, attempt = 1, workflow_id = MISSION): StreamEntry => ({
  ...{
    type: "begin",
    attempt_id: `${workflow_id} ${call}.${attempt}`,
    workflow_id,
    run_id: "r",
    agent: "a",
    model: "m",
  },
  ...{ turn: call, call, attempt, at: 0 },
});
const text = (call: number, said: string, attempt = 1): StreamEntry => ({
  ...{ type: "text", attempt_id: `${MISSION} ${call}.${attempt}`, text: said },
});
const end = (call: number, length: number, attempt = 1): StreamEntry => ({
  ...{ type: "end", attempt_id: `${MISSION} ${call}.${attempt}`, length },
});
const asked = (call: number): MissionFact => ({ type: "asked_model", call });
const reply = (call: number, content: string): MissionFact => ({ type: "reply", call, content });

type Step = StreamEntry[] | MissionFact;

function told(steps: readonly Step[]): ConversationItem[] {
  const conversation = new MissionConversation(MISSION);
  const items = steps.flatMap((step) =>
    Array.isArray(step) ? conversation.takeEntries(step) : conversation.takeFact(MISSION, step),
  );
  return items.filter(({ type }) => type !== "turn");
}

/** What a reader ends with: the texts of the messages that count. */
function read(items: readonly ConversationItem[]): string[] {
  const said = new Map<string, string>();
  for (const item of items) {
    if (item.type === "message") said.set(item.id, "");
    if (item.type === "text") said.set(item.id, `${said.get(item.id)}${item.text}`);
    if (item.type === "retried") said.delete(item.id);
  }
  return [...said.values()];
}

describe("the text that counts is that of the history", () => {
  test.each<[string, Step[], string[]]>([
    [
      "it was streamed",
      [asked(1), [begin(1), text(1, "Hello "), text(1, "you"), end(1, 9)], reply(1, "Hello you")],
      ["Hello you"],
    ],
    ["nothing was streamed", [asked(1), reply(1, "Hello")], ["Hello"]],
    ["its end was lost", [asked(1), [begin(1), text(1, "Hel")], reply(1, "Hello")], ["Hello"]],
    ["its beginning was lost", [asked(1), [begin(1), text(1, "lo")], reply(1, "Hello")], ["Hello"]],
    [
      "the first attempt failed in the middle",
      [asked(1), [begin(1), text(1, "Hi"), begin(1, 2), text(1, "Hello", 2), end(1, 5, 2)], reply(1, "Hello")],
      ["Hello"],
    ],
    [
      "the first attempt goes on although another one has begun",
      [asked(1), [begin(1), text(1, "Hi"), begin(1, 2), text(1, " there"), text(1, "Hello", 2)], reply(1, "Hello")],
      ["Hello"],
    ],
    ["no attempt came to an end", [asked(1), [begin(1), text(1, "Hi")], { type: "no_reply", call: 1 }], []],
    [
      "words come after the answer",
      [asked(1), [begin(1), text(1, "Hello")], reply(1, "Hello"), [text(1, "!")]],
      ["Hello"],
    ],
  ])("%s", (_, steps, expected) => expect(read(told(steps))).toEqual(expected));
});

test("what an attempt said that does not count is told", () => {
  const items = told([asked(1), [begin(1), text(1, "Hi"), begin(1, 2), text(1, "Hello", 2)], reply(1, "Hello")]);
  expect(items.map(({ type }) => type)).toEqual(["message", "text", "retried", "message", "text", "message_end"]);
  expect(items[2]).toMatchObject({ text: "Hi", call: 1, attempt: 1 });
});

test("the next words come behind the answer before and the tools that it called", () => {
  const tool: MissionFact = { type: "tool", id: "t", name: "look", args: {} };
  const result: MissionFact = { type: "tool_result", id: "t", answer: { ok: true, value: 1 } };
  const items = told([
    asked(1),
    [begin(1), text(1, "I look."), end(1, 7), begin(2), text(2, "I see.")],
    reply(1, "I look."),
    tool,
    result,
    asked(2),
    reply(2, "I see."),
  ]);
  expect(items.map(({ type }) => type)).toEqual([
    "message",
    "text",
    "message_end",
    "tool",
    "tool_result",
    "message",
    "text",
    "message_end",
  ]);
});

test("of a run that continued as new, what was said before is taken as it was streamed", () => {
  const items = told([
    [begin(1), text(1, "One."), end(1, 4), begin(2), text(2, "Two."), end(2, 4), begin(3), text(3, "Thr")],
    asked(3),
    reply(3, "Three."),
  ]);
  expect(read(items)).toEqual(["One.", "Two.", "Three."]);
  expect(items.filter(({ type }) => type === "message_end")).toHaveLength(3);
});

test("what agents below it say is not said by it", () => {
  expect(read(told([asked(1), [begin(1, 1, "agent/x/helper/1.1")], reply(1, "Hello")]))).toEqual(["Hello"]);
});

const review = (id: string): ShortReview =>
  ({
    id,
    kind: "approval",
    title: "Call pay?",
    body: "",
    data: { tool: "pay", args: {} },
    choices: ["approve"],
  }) as never;

describe("a call that people are asked about", () => {
  const waits = (...ids: string[]): MissionFact => ({ type: "waits", reviews: ids.map(review) });
  const types = (steps: Step[]) => told(steps).map(({ type }) => type);

  test("is made when they approve it", () =>
    expect(
      types([waits("r"), waits(), { type: "tool", id: "r", name: "pay", args: {}, review: "r" }, asked(2)]),
    ).toEqual(["asked", "answered", "tool"]));
  test("is refused when the run goes on without it", () =>
    expect(types([waits("r"), waits(), asked(2)])).toEqual(["asked", "answered", "refused"]));
  test("keeps a run from being idle only while something else goes on", () => {
    const conversation = new MissionConversation(MISSION);
    conversation.takeFact(MISSION, asked(1));
    conversation.takeFact("agent/x/helper/1.1", waits("r") as MissionFact);
    expect([conversation.isIdle, conversation.openReviews.length]).toEqual([false, 1]);
    conversation.takeFact(MISSION, reply(1, ""));
    expect(conversation.isIdle).toBe(true);
    conversation.takeFact("agent/x/helper/1.1", { type: "over", end: { state: "cancelled" } });
    expect(conversation.openReviews).toEqual([]);
  });
});

test("however the two sources are cut and mixed, the reader ends with the answers", () => {
  const pieces = fc.array(fc.string({ maxLength: 4 }), { maxLength: 5 });
  const attempts = fc.array(fc.record({ pieces, whole: fc.boolean() }), { minLength: 1, maxLength: 3 });
  assertProperty(
    fc.property(fc.array(attempts, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(3)), (calls, lag) => {
      const entries: StreamEntry[] = [];
      const facts: { after: number; fact: MissionFact }[] = [];
      const answers: string[] = [];
      for (const [i, tries] of calls.entries()) {
        facts.push({ after: entries.length, fact: asked(i + 1) });
        for (const [j, { pieces: said }] of tries.entries())
          entries.push(begin(i + 1, j + 1), ...said.map((one) => text(i + 1, one, j + 1)));
        const last = tries.at(-1) as { pieces: string[] };
        const answer = last.pieces.join("");
        answers.push(answer);
        entries.push(end(i + 1, answer.length, tries.length));
        facts.push({ after: entries.length, fact: reply(i + 1, answer) });
      }
      // A fact is heard when all that was said before it has been read, and perhaps much later.
      const conversation = new MissionConversation(MISSION);
      const items: ConversationItem[] = [];
      let at = 0;
      for (const { after, fact } of facts) {
        const until = Math.min(entries.length, after + (lag.next().value as number));
        items.push(...conversation.takeEntries(entries.slice(at, Math.max(at, until))));
        at = Math.max(at, until);
        items.push(...conversation.takeFact(MISSION, fact));
      }
      expect(read(items)).toEqual(answers.filter((answer) => answer !== ""));
    }),
  );
});
