import { defined } from "../base/defined";
import { APPROVE } from "./kinds/approval";
import { VALID_FOR_MS } from "./kinds/sealed-call";
import { approvalTerms, namedWords, type ReviewTerms, termsNeed, termsProblem } from "./policy/terms";

/**
 * What an agent may say about the approval of a tool that asks people itself: what makes it stricter, and what the tool
 * leaves open (agent reference, section 4.2). A default of the tool counts as its word.
 */

/** The approval of a tool: `true` asks anyone. */
export type Approval = true | ReviewTerms;

/** The approval of a tool with what an agent adds to it. What the tool says itself stays; see `laxerProblem` for the rest. */
export function stricterApproval(tool: Approval | undefined, agent: Approval | undefined): Approval | undefined {
  if (tool === undefined || agent === undefined || agent === true) return tool ?? agent;
  const said = approvalTerms(tool);
  return {
    ...agent,
    ...said,
    ...defined({
      quorum: most(said.quorum, agent.quorum),
      distinct_groups: most(said.distinct_groups, agent.distinct_groups),
      valid_for_ms: least(said.valid_for_ms, agent.valid_for_ms),
      separation: agent.separation === true ? true : said.separation,
    }),
  };
}

/**
 * Why an agent may not say this about the approval of a tool: it is laxer than what the tool says, it asks others, or nobody
 * could decide by both; null if it may.
 */
export function laxerProblem(tool: Approval | undefined, agent: Approval | undefined): string | null {
  if (tool === undefined || agent === undefined || agent === true) return null;
  const said = approvalTerms(tool);
  const problems = [
    whoProblem(said, agent),
    countProblem("quorum", said, agent),
    countProblem("distinct_groups", said, agent),
    validProblem(said, agent),
    defaultProblem(said, agent),
    ...flagProblems(said, agent),
  ];
  return problems.find((problem) => problem !== null) ?? togetherWithTool(tool, agent);
}

/** Whoever the tool does not name is asked neither at once nor later. */
function whoProblem(tool: ReviewTerms, { assignees, escalate }: ReviewTerms): string | null {
  if (tool.assignees === undefined) return null;
  const asked = new Set(tool.assignees);
  const isSame =
    assignees === undefined || (assignees.every((word) => asked.has(word)) && sizeOf(assignees) === asked.size);
  if (!isSame) return `assignees ${assignees.join(", ")} are others than the tool's: ${tool.assignees.join(", ")}`;
  const all = namedWords(tool);
  const others = (escalate ?? []).flatMap(({ to }) => to).filter((word) => !all.includes(word));
  if (others.length === 0) return null;
  return `escalate asks ${others.join(", ")}, whom the tool does not name: it says ${all.join(", ")}`;
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

/** A tool that does not say so approves nothing by itself. */
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
