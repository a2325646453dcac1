import { type Compiled, compileConversation } from "../../../bench/turns/compile";
import { type Ending, planTurn } from "../../../bench/turns/compile-turn";
import { loopCalls } from "../../../bench/turns/loop-side";
import type { Conversation, GoldCall, SuiteTool } from "../../../bench/turns/suite";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { runLisp } from "../../../src/simulate/run-lisp";

/** Solutions of a suite as programs: the same calls, in the same order, with the same arguments. */

const call = (tool: string, args: JsonObject, answer: Json = {}): GoldCall => ({ tool, args, answer });
const ZIP = call("zipcode", { city: "Rivermist" }, { zipcode: "83214" });
const DISTANCE = call("distance", { from: "83214", to: "83214" }, { distance: 750 });
const SAY = call("send", { text: "It is 750.0 km." }, { sent: true });
const FOUND = call("find", { name: "test" }, { matches: ["./a/test_1.txt"] });
const COPY = call("copy", { source: "test_1.txt" }, "done");

const talk = (
  ...turns: (readonly GoldCall[] | { says?: string; calls: readonly GoldCall[]; adds: string[] })[]
): Conversation => ({
  id: "one",
  kind: "base",
  tools: ["zipcode", "distance", "send", "find", "copy"],
  turns: turns.map((turn) => ({
    says: "How far is Rivermist?",
    adds: [],
    ...("calls" in turn ? turn : { calls: turn }),
  })),
});

const TOOLS: ReadonlyMap<string, SuiteTool> = new Map(
  ["zipcode", "distance", "send", "find", "copy"].map((name) => [
    name,
    { name, description: name, input: { type: "object" }, isRead: name === "find" },
  ]),
);

/** Runs all programs in the language itself, with tools that answer as the suite's do. */
function play({ missions }: Compiled, gold: readonly GoldCall[]) {
  const made: JsonObject[] = [];
  const journal = new Map<string, Json>();
  const ends: Json[] = [];
  const tool = (name: string) => (args: JsonObject) => {
    made.push({ tool: name, args });
    return gold[made.length - 1]?.answer ?? null;
  };
  const tools = {
    ...Object.fromEntries([...TOOLS.keys()].map((name) => [name, tool(name)])),
    "ask-person": ({ question, choices }: JsonObject) => {
      ends.push({ question: question as Json, choices: choices as Json });
      return { choice: "next", value: "the user's next words" };
    },
  };
  const prints = missions.flatMap(({ turns }) =>
    turns.flatMap(({ programs }) =>
      programs.flatMap((source) => {
        const result = runLisp(source, { tools, journal });
        expect(result.fail).toBeUndefined();
        if (source.includes("(return")) ends.push({ returned: result.ok ?? null });
        return result.prints;
      }),
    ),
  );
  return { made, journal, ends, prints };
}

const asMade = (calls: readonly GoldCall[]) => calls.map(({ tool, args }) => ({ tool, args }));

test.each<{ ending: Ending; programs: number[] }>([
  { ending: "turn", programs: [3] },
  { ending: "flow", programs: [2, 1] },
  { ending: "seen", programs: [1, 1, 1] },
])("with the ending $ending a turn has programs of $programs calls", ({ ending, programs }) => {
  const plan = planTurn([ZIP, DISTANCE, SAY], "How far is Rivermist?", ending);
  expect(plan.programs.map((program) => program.length)).toEqual(programs);
  expect(plan.dependent).toBe(2);
});

test("what the user said, or an earlier turn answered, is no reason to end a program", () => {
  const said = planTurn([ZIP, DISTANCE], "Is 83214 the zipcode of Rivermist?", "seen");
  expect(said).toMatchObject({ programs: [[ZIP, DISTANCE]], dependent: 0 });
  const { missions, dependent } = compileConversation(talk([ZIP], [ZIP, DISTANCE]), TOOLS, {
    ending: "seen",
    worded: false,
  });
  expect(missions[0]?.turns.map(({ programs }) => programs.length)).toEqual([1, 1]);
  expect(dependent).toBe(0);
});

test("one of several values cannot be passed on: the model must choose", () => {
  const found = { ...FOUND, answer: { matches: ["test_1.txt", "test_2.txt"] } };
  const plan = planTurn([found, COPY], "Copy the first test", "flow");
  expect(plan.programs).toHaveLength(2);
});

test.each<Ending>(["turn", "flow", "seen"])("the programs of %s make the suite's calls, in order", (ending) => {
  const gold = [ZIP, DISTANCE, SAY, FOUND, COPY];
  const compiled = compileConversation(talk([ZIP, DISTANCE, SAY], [FOUND, COPY]), TOOLS, { ending, worded: false });
  const { made, journal, ends } = play(compiled, gold);
  expect(made).toEqual(asMade(gold));
  // What only reads is asked for without a task.
  expect([...journal.keys()]).toEqual(["zipcode-1", "distance-2", "send-3", "copy-5"]);
  expect(ends).toHaveLength(2);
});

test("all that a tool answers is shown to the model before the next turn", () => {
  const { prints } = play(compileConversation(talk([ZIP, DISTANCE], []), TOOLS, { ending: "flow", worded: false }), [
    ZIP,
    DISTANCE,
  ]);
  expect(prints.join("\n")).toContain("83214");
  expect(prints.join("\n")).toContain("750");
  expect(prints.at(-1)).toBe("the user's next words");
});

test("a turn without calls only answers the user", () => {
  const compiled = compileConversation(talk([], []), TOOLS, { ending: "turn", worded: false });
  expect(compiled.missions[0]?.turns.map(({ programs }) => programs.length)).toEqual([1, 1]);
  const { made, ends } = play(compiled, []);
  expect(made).toEqual([]);
  expect(ends).toEqual([
    { question: "I cannot do that yet: something that I need is missing.", choices: ["next"] },
    { returned: "I cannot do that yet: something that I need is missing." },
  ]);
});

test("worded: one more program says what was done, where something was done", () => {
  const compiled = compileConversation(talk([ZIP], [], [COPY]), TOOLS, { ending: "flow", worded: true });
  expect(compiled.missions[0]?.turns.map(({ programs }) => programs.length)).toEqual([2, 1, 2]);
  expect(play(compiled, [ZIP, COPY]).ends.at(-1)).toEqual({ returned: "Done. What is next?" });
});

test("a tool that comes later is in a mission of its own, with the conversation before it", () => {
  const { missions } = compileConversation(
    talk([ZIP], { says: "More tools", calls: [COPY], adds: ["copy_all"] }),
    TOOLS,
    { ending: "turn", worded: false },
  );
  expect(missions.map(({ tools }) => tools.includes("copy_all"))).toEqual([false, true]);
  expect(missions[0]?.turns[0]?.programs[0]).toContain("(return");
  expect(missions[1]?.prompt).toContain("83214");
  expect(missions[1]?.prompt).toContain("The user says: More tools");
});

test.each<{ what: string; args: JsonObject }>([
  { what: "quotes and line breaks", args: { text: 'say "hi"\n\\ there' } },
  { what: "lists and maps", args: { list: ["a", 1, [2.5]], map: { "a b": null, c: [true, false] } } },
  { what: "numbers", args: { a: -1, b: 0.25, c: 1e21, d: 12_345_678_901 } },
  { what: "other letters", args: { text: "Zürich – “東京” 🎒" } },
  { what: "a fence", args: { text: "```clojure\n(return 1)\n```" } },
])("$what come through", ({ args }) => {
  const gold = [call("send", args)];
  const { made } = play(compileConversation(talk(gold), TOOLS, { ending: "turn", worded: false }), gold);
  expect(made).toEqual(asMade(gold));
});

test("the loop has a model call for each tool call, and one to answer each turn", () => {
  expect(loopCalls(talk([ZIP, DISTANCE], [], [COPY]))).toBe(6);
});
