import { compileConversation } from "../../../bench/turns/compile";
import { playInMemory } from "../../../bench/turns/play-in-memory";
import type { Conversation, SuiteSession, SuiteTool } from "../../../bench/turns/suite";
import { turnTools } from "../../../bench/turns/turn-tools";

/** A conversation of a suite that is made up here, played on the in-memory host: another suite needs no more than this. */

const tool = (name: string, property: string, isRead: boolean): SuiteTool => ({
  name,
  description: `It does ${name}.`,
  input: { type: "object", properties: { [property]: { type: "string" } }, required: [property] },
  isRead,
});
const TOOLS = new Map([tool("zipcode", "city", true), tool("copy", "source", false)].map((one) => [one.name, one]));
const SPECS = turnTools(TOOLS.values(), () => Promise.reject(new Error("Nobody calls these.")));

const TALK: Conversation = {
  id: "one",
  kind: "made-up",
  tools: ["zipcode"],
  turns: [
    {
      says: "Where is Rivermist?",
      calls: [{ tool: "zipcode", args: { city: "Rivermist" }, answer: { zip: "1" } }],
      adds: [],
    },
    { says: "Copy it.", calls: [], adds: [] },
    { says: "Now you can.", calls: [{ tool: "copy", args: { source: "it" }, answer: "copied" }], adds: ["copy"] },
  ],
};

/** Plays it, and tells what the suite was asked, in order. */
async function play(talk: Conversation) {
  const asked: unknown[][] = [];
  const session: SuiteSession = {
    call: async (turn, name, args) => {
      asked.push([turn, name, args]);
      return talk.turns[turn]?.calls[0]?.answer ?? null;
    },
    judge: async (turn) => {
      asked.push(["judge", turn]);
      return turn === 1 ? [] : [`turn ${turn} was judged`];
    },
    end: async () => {
      asked.push(["end"]);
      return [];
    },
  };
  const compiled = compileConversation(talk, TOOLS, { ending: "flow", worded: false });
  const agents = compiled.missions.map((_, at) => `made-up-${at}`);
  const played = await playInMemory({ conversation: talk, compiled, agents }, session, SPECS);
  return { asked, ...played };
}

test("calls come in the turn that they belong to, and each turn is judged when it is over", async () => {
  const { asked, tokens, problems } = await play(TALK);
  expect(asked).toEqual([
    [0, "zipcode", { city: "Rivermist" }],
    ["judge", 0],
    ["judge", 1],
    [2, "copy", { source: "it" }],
    ["judge", 2],
    ["end"],
  ]);
  expect(problems).toEqual(["one: turn 0 was judged", "one: turn 2 was judged"]);
  expect(tokens.calls).toBe(3);
  expect(tokens.cached).toBeGreaterThan(0);
});

test("a solution that calls a tool that is not there is a problem, and no endless wait", async () => {
  const { problems } = await play({ ...TALK, turns: TALK.turns.map((turn) => ({ ...turn, adds: [] })) });
  expect(problems.join("\n")).toContain("nothing_left");
});
