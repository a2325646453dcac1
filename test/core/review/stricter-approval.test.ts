import { type Approval, laxerProblem, stricterApproval } from "../../../src/core/review/stricter-approval";

/** What an agent may add to the approval of a tool (agent reference, section 4.2). */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FINANCE = { assignees: ["group:finance"], timeout_ms: 2 * DAY };

test.each<{ it: string; tool?: Approval; agent?: Approval; both: Approval | undefined }>([
  { it: "neither asks", both: undefined },
  { it: "the agent alone asks", agent: { assignees: ["dora"] }, both: { assignees: ["dora"] } },
  { it: "the tool alone asks", tool: FINANCE, both: FINANCE },
  { it: "the agent asks, too", tool: FINANCE, agent: true, both: FINANCE },
  { it: "the agent says who, and the tool does not", tool: true, agent: FINANCE, both: FINANCE },
  {
    it: "the agent says what the tool does not",
    tool: FINANCE,
    agent: { remind_ms: HOUR, hand_over: false },
    both: { ...FINANCE, remind_ms: HOUR, hand_over: false },
  },
  {
    it: "the higher numbers count",
    tool: { ...FINANCE, quorum: 2 },
    agent: { quorum: 3, distinct_groups: 2 },
    both: { ...FINANCE, quorum: 3, distinct_groups: 2 },
  },
  {
    it: "the shorter time of a yes counts",
    tool: { valid_for_ms: 2 * HOUR },
    agent: { valid_for_ms: HOUR },
    both: { valid_for_ms: HOUR },
  },
  {
    it: "separation may be switched on",
    tool: { separation: false },
    agent: { separation: true },
    both: { separation: true },
  },
  {
    it: "what the tool says stays",
    tool: { ...FINANCE, on_timeout: "approve", remind_ms: HOUR },
    agent: { timeout_ms: DAY, on_timeout: "reject", remind_ms: DAY, assignees: ["group:finance"] },
    both: { ...FINANCE, on_timeout: "approve", remind_ms: HOUR },
  },
])("$it", ({ tool, agent, both }) => {
  expect(laxerProblem(tool, agent)).toBeNull();
  const merged = stricterApproval(tool, agent);
  expect(merged).toEqual(both);
  // Specs may be added again.
  expect(laxerProblem(tool, merged)).toBeNull();
  expect(stricterApproval(tool, merged)).toEqual(both);
});

test.each<{ tool: Approval; agent: Approval; problem: string }>([
  {
    tool: FINANCE,
    agent: { assignees: ["dora"] },
    problem: "assignees dora are others than the tool's: group:finance",
  },
  {
    tool: { assignees: ["anna", "ben"] },
    agent: { assignees: ["anna"] },
    problem: "assignees anna are others than the tool's: anna, ben",
  },
  { tool: { quorum: 2 }, agent: { quorum: 1 }, problem: "quorum 1 is less than the tool's: 2" },
  {
    tool: { distinct_groups: 3 },
    agent: { distinct_groups: 2 },
    problem: "distinct_groups 2 is less than the tool's: 3",
  },
  {
    tool: { valid_for_ms: HOUR },
    agent: { valid_for_ms: DAY },
    problem: `valid_for_ms ${DAY} is longer than the tool's: ${HOUR}`,
  },
  {
    tool: true,
    agent: { valid_for_ms: 2 * DAY },
    problem: `valid_for_ms ${2 * DAY} is longer than the tool's: ${DAY}`,
  },
  { tool: true, agent: { separation: false }, problem: "separation false is laxer than the tool's: true" },
  {
    tool: FINANCE,
    agent: { escalate: [{ after_ms: 1, to: ["group:finance", "dora"] }] },
    problem: "escalate asks dora, who is not in the tool's list: it names group:finance",
  },
  {
    tool: FINANCE,
    agent: { on_timeout: "approve" },
    problem: "on_timeout approve is laxer than the tool's: reject",
  },
  {
    tool: { hand_over: false },
    agent: { hand_over: true },
    problem: "hand_over true is laxer than the tool's: false",
  },
  {
    tool: { assignees: ["anna"] },
    agent: { quorum: 2 },
    problem: "together with the tool's own, asks for 2 people and names only anna",
  },
])("$problem", ({ tool, agent, problem }) => expect(laxerProblem(tool, agent)).toBe(problem));
