import { type FinalTask, judge, type SeenClaim, type SeenMove } from "../../bench/crowd/judge";

/** What a crowd of orchestrators (`npm run soak:mcp`) is held against. */

const claim = (owner: string, from: number, until: number): SeenClaim => ({ task: "t", owner, from, until });
const move = (output: string): SeenMove => ({ task: "t", owner: output, output });
const done = (...outputs: string[]): FinalTask => ({ id: "t", status: "COMPLETED", outputs });

test.each<{ what: string; claims?: SeenClaim[]; moves?: SeenMove[]; tasks?: FinalTask[]; says: string[] }>([
  { what: "one claim, one result", claims: [claim("a", 0, 9)], moves: [move("a/1")], says: [] },
  { what: "a result that was confirmed twice", moves: [move("a/1"), move("a/1")], says: [] },
  {
    what: "a claim after the one before ran out",
    claims: [claim("b", 9, 18), claim("a", 0, 9)],
    moves: [move("a/1")],
    says: [],
  },
  {
    what: "a claim within another's time",
    claims: [claim("b", 8, 17), claim("a", 0, 9)],
    moves: [move("a/1")],
    says: ["t was given to b while a had it."],
  },
  {
    what: "another result than the confirmed one",
    moves: [move("a/1"), move("b/1")],
    says: ['t: the result "b/1" was confirmed, and is lost.'],
  },
  { what: "a result that nobody was told of", moves: [], says: ["t is done, and nobody was told so."] },
  { what: "two moves", moves: [move("a/1")], tasks: [done("a/1", "b/1")], says: ['t moved 2 times: ["a/1","b/1"].'] },
  {
    what: "a task that is left",
    tasks: [{ id: "t", status: "PENDING", outputs: [] }],
    says: ["t is PENDING at the end."],
  },
  { what: "a task that is gone", tasks: [], says: ["There are 0 tasks at the end, not 1."] },
])("$what", ({ claims = [], moves = [], tasks = [done("a/1")], says }) => {
  expect(judge({ claims, moves }, tasks, 1)).toEqual(says);
});
