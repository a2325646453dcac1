import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import { LISP_LIMITS, type LispLimits } from "../../base/limits";
import { type EffectSpec, effectId, toolVersion } from "../../effects/effect-id";
import { policyForOther } from "../../effects/policies";
import type { RunLedger } from "../../effects/run-ledger";
import type { Journal } from "../../journal/journal";
import type { ProgramOptions, TaskEffects } from "../../lisp/program";
import type { ToolFinder } from "../../lisp/values/context";
import { UNDO } from "../../lisp/values/tool-values";
import { type TokenCounts, totalTokens } from "../budget/token-counts";
import type { AgentDefinition } from "../definition/definition";
import { runTools, toolSpecs } from "../tools/run-tools";
import type { RunMemory } from "./run-memory";
import type { AgentState } from "./state";

interface TurnWorld {
  agent: AgentDefinition;
  state: AgentState;
  memory: RunMemory;
  journal: Journal | null;
  ledger: RunLedger;
  /** The run has the flag `compares-texts`. */
  comparesTexts: boolean;
  data: JsonObject;
  /** 0 for a root agent. */
  depth: number;
  search: ToolFinder;
}

/** Everything that a turn's program sees: data (with the last fail), definitions, tools, journal, budget. */
export function programOptions(world: TurnWorld, source: string, now: () => number): ProgramOptions {
  const { agent, state, memory, data } = world;
  return {
    source,
    data: state.last_fail === null ? data : { ...data, fail: state.last_fail },
    memory: memory.definitions,
    tools: new Map([
      ...toolSpecs(agent).map((tool) => [tool.name, tool.cache ? { cache: true } : {}] as const),
      ...(agent.undo ? [[UNDO, {}] as const] : []),
    ]),
    journal: world.journal,
    history: memory.history,
    budget: remainingBudget({
      turns: state.remaining_turns,
      work: state.work_left,
      retry: state.retry_left,
      depth: world.depth,
      maxDepth: agent.max_depth,
      tokens: state.tokens,
    }),
    tool_cache: memory.toolCache,
    limits: limitsOf(agent),
    on_other_effect: agent.on_other_effect,
    search: world.search,
    effects: taskEffects(agent, world.ledger, world.comparesTexts),
    now,
  };
}

/** The tools' settings and the ledger of the run, which the program's tasks ask about effects. */
export function taskEffects(agent: AgentDefinition, ledger: RunLedger, comparesTexts: boolean): TaskEffects {
  const specs = new Map(
    runTools(agent).flatMap(({ kind, spec }) => (kind === "worker" ? [[spec.name, spec] as const] : [])),
  );
  const versioned = new Map<string, EffectSpec | undefined>();
  const specOf = (tool: string): EffectSpec | undefined => {
    if (!versioned.has(tool)) {
      const spec = specs.get(tool);
      const hasEffects = spec !== undefined && spec.effect !== "read";
      versioned.set(tool, hasEffects ? { ...spec, version: toolVersion(spec) } : undefined);
    }
    return versioned.get(tool);
  };
  return {
    idOf: (tool, args) => {
      const spec = specOf(tool);
      return spec && effectId(spec, args);
    },
    rewords: ({ tool, args }, id) => {
      const spec = comparesTexts ? specOf(tool) : undefined;
      return spec !== undefined && ledger.rewords(spec, args, id);
    },
    policy: (tools) =>
      policyForOther(
        tools.map((tool) => specs.get(tool)),
        agent.on_other_effect,
      ),
    serve: (task, inside) => ledger.program.serve(task, inside),
    rerun: (task) => ledger.program.rerun(task),
    reset: (task, isRecorded) => ledger.noteReset(task, isRecorded),
  };
}

/** Evaluation steps that stand for one ms of `timeout`: the default of 5000 ms is the engine's own limit. */
const STEPS_PER_MS = LISP_LIMITS.max_steps / 5000;
const BYTES_PER_WORD = 8;

/** The limits of one program of this agent. */
export function limitsOf(agent: AgentDefinition): LispLimits {
  return {
    ...LISP_LIMITS,
    max_steps: agent.timeout * STEPS_PER_MS,
    max_bytes: agent.max_heap === null ? LISP_LIMITS.max_bytes : agent.max_heap * BYTES_PER_WORD,
    max_iterations: agent.loop_limit,
    max_parallel: agent.pmap_max_concurrency,
    max_tool_calls: agent.max_tool_calls,
    max_print_chars: agent.format_options.max_print_length,
  };
}

/** Reports a used-up `timeout` in the option's own unit. */
export function withTimeout(agent: AgentDefinition, fail: Failure, steps: number): Failure {
  const { timeout } = agent;
  if (fail.reason !== "timeout" || steps < timeout * STEPS_PER_MS) return fail;
  const message = `${fail.message} (timeout: ${timeout} ms)`;
  return { ...fail, message, details: { ...fail.details, timeout } } as Failure;
}

/** The result of `(budget/remaining)`. */
function remainingBudget(state: {
  turns: number;
  work: number;
  retry: number;
  depth: number;
  maxDepth: number;
  tokens: TokenCounts;
}): JsonObject {
  const { tokens } = state;
  return {
    turns: state.turns,
    "work-turns": state.work,
    "retry-turns": state.retry,
    depth: { current: state.depth + 1, max: state.maxDepth },
    tokens: {
      input: tokens.input,
      output: tokens.output,
      total: totalTokens(tokens),
      "cache-creation": tokens.cache_creation,
      "cache-read": tokens.cache_read,
    },
    "llm-requests": tokens.requests,
  };
}
