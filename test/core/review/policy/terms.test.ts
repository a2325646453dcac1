import { PeopleTerms, termsProblem, termsWith } from "../../../../src/core/review/policy/terms";

/** The terms of reviews, as agents, graphs, plans and tools state them (approvals reference, section 5). */

test("terms are read, and durations become milliseconds", () =>
  expect(
    PeopleTerms().parse({
      assignees: ["anna", "group:finance", "lead:finance"],
      quorum: 2,
      distinct_groups: 2,
      separation: false,
      escalate: [{ after_ms: "4h", to: ["lead:finance"] }],
      hours: { from: "09:00", to: "17:30", zone: "Europe/Berlin" },
      remind_ms: "30m",
      timeout_ms: 172_800_000,
      on_timeout: "reject",
      valid_for_ms: "1d",
      hand_over: false,
    }),
  ).toEqual({
    assignees: ["anna", "group:finance", "lead:finance"],
    quorum: 2,
    distinct_groups: 2,
    separation: false,
    escalate: [{ after_ms: 14_400_000, to: ["lead:finance"] }],
    hours: { days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "17:30", zone: "Europe/Berlin" },
    remind_ms: 1_800_000,
    timeout_ms: 172_800_000,
    on_timeout: "reject",
    valid_for_ms: 86_400_000,
    hand_over: false,
  }));

test("terms that were read are read the same again", () => {
  const read = PeopleTerms().parse({ escalate: [{ after_ms: "4h", to: ["ben"] }], remind_ms: "1h" });
  expect(PeopleTerms().parse(JSON.parse(JSON.stringify(read)))).toEqual(read);
});

describe("terms that cannot be followed are refused", () => {
  test.each([
    [{ assignees: [] }, "assignees: must name somebody"],
    [{ assignees: ["group:"] }, "must name a group after the colon"],
    [{ assignees: ["anna"], quorum: 2 }, "must not ask for more people than it names"],
    [{ assignees: ["anna"], distinct_groups: 2 }, "must not ask for more people than it names"],
    [{ quorum: 0 }, "quorum: must be a whole number, 1 or more"],
    [{ remind_ms: "often" }, 'remind_ms: must be milliseconds, or a text such as "4h"'],
    [{ escalate: [] }, "escalate: must have a step"],
    [{ escalate: [{ after_ms: "4h" }] }, "escalate.0.to: must be a list of names"],
    [
      {
        escalate: [
          { after_ms: "4h", to: ["a"] },
          { after_ms: "2h", to: ["b"] },
        ],
      },
      "must have its steps in the order of their times",
    ],
    [{ hours: { days: [], from: "09:00", to: "17:00", zone: "UTC" } }, "hours.days: must name a day"],
    [{ asignees: ["anna"] }, 'has "asignees", which is no term; there are assignees'],
  ])("%j", (given, says) => {
    const issues = PeopleTerms().safeParse(given).error?.issues ?? [];
    expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")).toContain(says);
  });
});

test.each([
  { assignees: ["group:finance"], quorum: 5 },
  { assignees: ["anna"], quorum: 2, escalate: [{ after_ms: 5, to: ["ben"] }] },
  { quorum: 5 },
])("%j may be followed", (terms) => expect(termsProblem(terms)).toBeNull());

test("what a tool says comes before what its agent says", () =>
  expect(termsWith({ assignees: ["anna"], quorum: 2, remind_ms: 5 }, { assignees: ["ben"] })).toEqual({
    assignees: ["ben"],
    quorum: 2,
    remind_ms: 5,
  }));
