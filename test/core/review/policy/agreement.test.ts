import fc from "fast-check";
import { agree, type GroupedVote, mayStillAgree, neededPeople } from "../../../../src/core/review/policy/agreement";
import { assertProperty } from "../../../support/run/property";

/** Whether enough people agree, and from enough groups (approvals reference, section 5). */

const vote = (by: string, groups: string[] = [], as?: GroupedVote["as"]): GroupedVote =>
  as === undefined ? { by, groups } : { by, groups, as };

describe("different groups", () => {
  test.each([
    { name: "two of one group are one group", votes: [vote("a", ["x"]), vote("b", ["x"])], words: [], agreed: false },
    { name: "two of two", votes: [vote("a", ["x"]), vote("b", ["y"])], words: [], agreed: true },
    { name: "one in both, one in one", votes: [vote("a", ["x", "y"]), vote("b", ["x"])], words: [], agreed: true },
    { name: "one person in two groups is one", votes: [vote("a", ["x", "y"])], words: [], agreed: false },
    { name: "nobody in a group", votes: [vote("a"), vote("b")], words: [], agreed: false },
    {
      name: "a group that was not asked does not count",
      votes: [vote("a", ["x", "z"]), vote("b", ["x", "w"])],
      words: ["group:x", "group:y"],
      agreed: false,
    },
    {
      name: "a group that only its lead was asked for counts",
      votes: [vote("a", ["x"]), vote("b", ["y"], { word: "lead:y" })],
      words: ["group:x", "lead:y"],
      agreed: true,
    },
  ])("$name", ({ votes, words, agreed }) => expect(agree(votes, { distinctGroups: 2 }, words)).toBe(agreed));

  test("as many as any choice of a group for each would give", () => {
    const groups = fc.uniqueArray(fc.constantFrom("x", "y", "z", "w"), { maxLength: 3 });
    const most = (left: readonly string[][], used: readonly string[]): number => {
      const [first, ...rest] = left;
      if (first === undefined) return used.length;
      const options = first.filter((group) => !used.includes(group)).map((group) => most(rest, [...used, group]));
      return Math.max(most(rest, used), ...options);
    };
    assertProperty(
      fc.property(fc.array(groups, { maxLength: 5 }), fc.integer({ min: 1, max: 4 }), (lists, distinctGroups) => {
        const votes = lists.map((list, i) => vote(`p${i}`, list));
        const expected = votes.length >= distinctGroups && (distinctGroups === 1 || most(lists, []) >= distinctGroups);
        expect(agree(votes, { distinctGroups }, [])).toBe(expected);
      }),
    );
  });
});

test("a number of groups is a number of people, too", () =>
  expect([
    neededPeople({}),
    neededPeople({ quorum: 3, distinctGroups: 2 }),
    neededPeople({ distinctGroups: 2 }),
  ]).toEqual([1, 3, 2]));

describe("whether people can still agree", () => {
  const quorum = { quorum: 2 };
  const none = { hasLadder: false };
  test.each([
    { name: "one is left", votes: [vote("a")], words: ["a", "b"], more: none, can: true },
    { name: "two said different things", votes: [vote("a"), vote("b")], words: ["a", "b"], more: none, can: false },
    { name: "anyone may", votes: [vote("a"), vote("b")], words: [], more: none, can: true },
    { name: "a group may have more", votes: [vote("a"), vote("b")], words: ["a", "group:x"], more: none, can: true },
    {
      name: "others are asked later",
      votes: [vote("a"), vote("b")],
      words: ["a", "b"],
      more: { hasLadder: true },
      can: true,
    },
    {
      name: "the one who asked does not count",
      votes: [vote("a")],
      words: ["a", "b"],
      more: { hasLadder: false, separatedFrom: "b" },
      can: false,
    },
    {
      name: "a delegate has decided for the last one",
      votes: [vote("a"), vote("c", [], { word: "b", from: "b" })],
      words: ["a", "b"],
      more: none,
      can: false,
    },
  ])("$name", ({ votes, words, more, can }) => expect(mayStillAgree(votes, 1, quorum, words, more)).toBe(can));
});
