import { defined } from "../base/defined";
import { APPROVE } from "./kinds/approval";
import { VALID_FOR_MS } from "./kinds/sealed-call";
import { approvalTerms, namedWords, type ReviewTerms, termsNeed, termsProblem } from "./policy/terms";

/**
 * What an agent may define for the approval of a tool that asks people itself: stricter terms, and those that the tool
 * leaves open (agent reference, section 4.2). A default of the tool counts as defined.
 */

/** The approval of a tool: `true` asks anyone. */
export type Approval = true | ReviewTerms;

/** The approval of a tool with what an agent adds to it. The tool's own terms stay; see `laxerProblem` for the rest. */
export function stricterApproval(tool: Approval | undefined, agent: Approval | undefined): Approval | undefined {
  if (tool === undefined || agent === undefined || agent === true) return tool ?? agent;
  const terms = approvalTerms(tool);
  return {
    ...agent,
    ...terms,
    ...defined({
      quorum: most(terms.quorum, agent.quorum),
      distinct_groups: most(terms.distinct_groups, agent.distinct_groups),
      valid_for_ms: least(terms.valid_for_ms, agent.valid_for_ms),
      separation: agent.separation === true ? true : terms.separation,
    }),
  };
}

/**
 * Why an agent may not define this for the approval of a tool: it is laxer than the tool's terms, it asks others, or nobody
 * could decide by both; null if it may.
 */
export function laxerProblem(tool: Approval | undefined, agent: Approval | undefined): string | null {
  if (tool === undefined || agent === undefined || agent === true) return null;
  const problems = termProblems(approvalTerms(tool), agent);
  return problems.find((problem) => problem !== null) ?? togetherWithTool(tool, agent);
}

const termProblems = (tool: ReviewTerms, agent: ReviewTerms): (string | null)[] => [
  whoProblem(tool, agent),
  countProblem("quorum", tool, agent),
  countProblem("distinct_groups", tool, agent),
  validProblem(tool, agent),
  defaultProblem(tool, agent),
  ...flagProblems(tool, agent),
];

/** The terms that make a yes count. */
export const sealedTerms = ({
  assignees,
  escalate,
  quorum,
  distinct_groups,
  separation,
  ...rest
}: ReviewTerms): ReviewTerms => {
  const { valid_for_ms, on_timeout, agents, hand_over } = rest;
  return defined({
    assignees,
    escalate,
    quorum,
    distinct_groups,
    separation,
    valid_for_ms,
    on_timeout,
    agents,
    hand_over,
  });
};

/** Why a yes that people gave by earlier terms does not count by the present ones of the tool; null if it does. */
export function outdatedTerms(tool: Approval | undefined, asked: ReviewTerms): string | null {
  if (tool === undefined) return null;
  const terms = approvalTerms(tool);
  const before = {
    assignees: [],
    quorum: 1,
    distinct_groups: 1,
    valid_for_ms: VALID_FOR_MS,
    agents: true,
    hand_over: true,
  };
  const problems = termProblems(terms, { ...before, ...asked });
  return problems.find((problem) => problem !== null) ?? null;
}

/** A person who is not in the list of the tool is asked neither at once nor later. */
function whoProblem(tool: ReviewTerms, { assignees, escalate }: ReviewTerms): string | null {
  if (tool.assignees === undefined) return null;
  const asked = new Set(tool.assignees);
  const isSame =
    assignees === undefined || (assignees.every((word) => asked.has(word)) && sizeOf(assignees) === asked.size);
  if (!isSame) return `assignees ${assignees.join(", ")} are others than the tool's: ${tool.assignees.join(", ")}`;
  const all = namedWords(tool);
  const others = (escalate ?? []).flatMap(({ to }) => to).filter((word) => !all.includes(word));
  if (others.length === 0) return null;
  return `escalate asks ${others.join(", ")}, who is not in the tool's list: it names ${all.join(", ")}`;
}

const sizeOf = (words: readonly string[]): number => new Set(words).size;

function countProblem(term: "quorum" | "distinct_groups", tool: ReviewTerms, agent: ReviewTerms): string | null {
  const [wanted, least] = [agent[term], tool[term] ?? 1];
  return wanted === undefined || wanted >= least ? null : `${term} ${wanted} is less than the tool's: ${least}`;
}

function validProblem({ valid_for_ms: longest = VALID_FOR_MS }: ReviewTerms, agent: ReviewTerms): string | null {
  const { valid_for_ms: wanted } = agent;
  if (wanted === undefined || wanted <= longest) return null;
  return `valid_for_ms ${wanted} is longer than the tool's: ${longest}`;
}

/** A tool without a default approves nothing automatically. */
function defaultProblem(tool: ReviewTerms, agent: ReviewTerms): string | null {
  if (agent.on_timeout !== APPROVE || tool.on_timeout === APPROVE) return null;
  return "on_timeout approve is laxer than the tool's: reject";
}

function flagProblems(tool: ReviewTerms, agent: ReviewTerms): (string | null)[] {
  return [
    agent.separation === false && tool.separation !== false ? "separation false is laxer than the tool's: true" : null,
    agent.agents && tool.agents === false ? "agents true is laxer than the tool's: false" : null,
    agent.hand_over && tool.hand_over === false ? "hand_over true is laxer than the tool's: false" : null,
  ];
}

function togetherWithTool(tool: Approval, agent: ReviewTerms): string | null {
  const both = approvalTerms(stricterApproval(tool, agent) ?? true);
  return termsProblem(both) === null ? null : `together with the tool's own, ${termsNeed(both)}`;
}

const most = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
