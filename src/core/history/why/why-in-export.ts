import { extractProgram } from "../../agent/reply/extract-program";
import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import { isoTime } from "../../base/iso-time";
import type { JsonObject } from "../../base/json";
import type { ChainLink } from "../../effects/chain/link";
import type { ExportedWorkflow, LinkLine } from "../export/format";
import type { ParsedExport } from "../export/parse-export";
import type { EffectReasons } from "./effect-reasons";
import { reviewsInLinks } from "./reviews-in-links";

/**
 * Why each effect of an exported ledger came about.
 *
 * @param parsed an export that was read without a problem
 * @param wanted a key, or the beginning of one; absent = all effects
 */
export function whyInExport({ header, links }: ParsedExport, wanted = ""): EffectReasons[] {
  const found = new Map<string, EffectReasons>();
  const lines = links.map(({ line }) => line);
  for (const workflow of header.workflows) {
    const own = lines.filter((line) => line.workflow === workflow.id);
    const chain = own.map(({ link }) => link);
    const replies = new Map<number, { content: string; model: string | null }>();
    for (const line of own) {
      const { kind, body } = line.link;
      if (kind !== "effect" || typeof body.key !== "string") continue;
      noteReply(replies, line);
      if (!body.key.startsWith(wanted)) continue;
      found.set(
        body.key,
        reasonOf(found.get(body.key), line, {
          ...{ chain, replies },
          work: workOf(header.workflows, workflow),
          limit: budgetOf(header.workflows, workflow),
        }),
      );
    }
  }
  return [...found.values()];
}

interface ReasonParts {
  chain: readonly ChainLink[];
  replies: ReadonlyMap<number, { content: string; model: string | null }>;
  work: EffectReasons["work"];
  limit: EffectReasons["budget"]["limit"];
}

/** The first effect of a turn has the reply that asks for all effects of the turn. */
function noteReply(replies: Map<number, { content: string; model: string | null }>, { link, value }: LinkLine): void {
  const { turn, model } = link.body;
  if (typeof turn !== "number" || typeof value?.reply !== "string") return;
  replies.set(turn, { content: value.reply, model: typeof model === "string" ? model : null });
}

function reasonOf(
  before: EffectReasons | undefined,
  { workflow, link, value, asked }: LinkLine,
  { chain, replies, work, limit }: ReasonParts,
) {
  const { key, tool, state, by, message, turn } = link.body;
  const reply = typeof turn === "number" ? replies.get(turn) : undefined;
  const args = isObject(value?.args) ? value.args : undefined;
  const answer = value?.answer;
  const effect: EffectReasons["effect"] = {
    ...(before?.effect ?? { key: String(key), tool: String(tool), at: isoTime(link.at) }),
    state: String(state),
    ...defined({ args, answer, by: by as string | undefined, message: message as string | undefined }),
  } as EffectReasons["effect"];
  const program = reply === undefined ? (before?.program ?? null) : programIn(reply.content);
  const reasons: EffectReasons = {
    effect,
    run: workflow,
    work,
    turn: typeof turn === "number" ? turn : (before?.turn ?? 0),
    invocation: asked?.invocation ?? before?.invocation ?? 1,
    model: reply?.model ?? before?.model ?? null,
    program,
    reviews: reviewsInLinks(chain, String(key)),
    budget: { limit, ...defined({ turn_cost: asked?.turn_cost ?? before?.budget.turn_cost }) },
    missing: program === null ? [NO_PROGRAM] : [],
  };
  return reasons;
}

const NO_PROGRAM = "the program: the ledger has it with the first effect of each turn that began in the same run";

/** The program of a reply; a reply without one is what asked for the calls. */
function programIn(content: string): string {
  const found = extractProgram(content);
  return found.ok ? found.source : content;
}

/**
 * The workflow that started another one. It stands before it, so a walk through a list that somebody changed ends, too.
 */
function parentOf(workflows: readonly ExportedWorkflow[], workflow: ExportedWorkflow): ExportedWorkflow | undefined {
  return workflows.slice(0, workflows.indexOf(workflow)).find(({ id }) => id === workflow.parent);
}

/** The nearest limit above. */
function budgetOf(workflows: readonly ExportedWorkflow[], workflow: ExportedWorkflow): JsonObject | null {
  const above = workflow.budget === null ? parentOf(workflows, workflow) : undefined;
  return above === undefined ? workflow.budget : budgetOf(workflows, above);
}

/** The name of a run ends with the node or the step that its parent gave it. */
function workOf(workflows: readonly ExportedWorkflow[], workflow: ExportedWorkflow): EffectReasons["work"] {
  const above = parentOf(workflows, workflow);
  if (above === undefined) return null;
  const { id: workflow_id, type } = above;
  if (type === "agentRun") return workOf(workflows, above);
  return { workflow_id, type, step: workflow.id.slice(workflow_id.length + 1) };
}
