import type { Step } from "../core/agent/result/step";
import { stepOf } from "../core/agent/run/run";
import { defined } from "../core/base/defined";
import type { Result } from "../core/base/failure";
import { planRunWorkflowId, workflowIdFor } from "../core/base/ids";
import type { Json } from "../core/base/json";
import type { Price } from "../core/calls/host";
import { MissionLedger } from "../core/effects/mission-ledger";
import type { UndoStep } from "../core/effects/undo/undo-plan";
import type { PlanEvent } from "../core/plan/run/events";
import { type PlanAgentRun, type PlanHost, type PlanReview, placeOfRun } from "../core/plan/run/host";
import { decidedValue } from "../core/review/kinds/plan-review";
import type { Model } from "../models/model";
import type { Script } from "../models/scripted";
import { EffectGuards } from "./effect-guards";
import {
  MemoryHost,
  type MemoryHostOptions,
  type MemoryLookup,
  type MemoryTool,
  type MemoryUndo,
  type ScriptedDecision,
  type SentCall,
  undoInMemory,
} from "./memory-host";
import { type Asking, PlanScript } from "./plan-script";

export interface MemoryPlanOptions {
  /** A script for all runs, or the model of each run. */
  model: Script | ((asking: Asking) => Model);
  tools?: ReadonlyMap<string, MemoryTool>;
  /** The tools that can take an effect back. */
  undos?: ReadonlyMap<string, MemoryUndo>;
  tool_times?: { readonly [name: string]: number };
  /** The answers of tools about effects whose outcome is lost. */
  lookups?: ReadonlyMap<string, MemoryLookup>;
  /** Decides what agents ask; undefined = nobody does. */
  decide?: MemoryHostOptions["decide"];
  prices?: { [model: string]: Price };
  /** The decisions on a task's review, one for each time that it is asked. */
  decisions?: { [task_id: string]: readonly ScriptedDecision[] };
  /** As for an agent. */
  guards?: EffectGuards;
  /** Ms since 1970 at the start. */
  now?: number;
}

/** A requested run, and the prompts of its model. */
export interface MadeRun {
  run: PlanAgentRun;
  sent: readonly SentCall[];
}

/** A scenario with a review that waits, and without a decision for it. */
export class NobodyDecides extends Error {
  readonly code = "nobody_decides";
  readonly exitCode = 2;
  constructor(task_id: string) {
    super(`The review "${task_id}" waits for a decision, and the scenario has none left for it: give \`decisions\`.`);
  }
}

const START_OF_TIME = Date.UTC(2030, 0, 1);

/** PlanHost in memory, for simulations and tests: every agent has its own host, and all share one clock. */
export class MemoryPlanHost implements PlanHost {
  readonly clock: VirtualClock;
  readonly events: PlanEvent[] = [];
  readonly runs: MadeRun[] = [];
  readonly effects = new MissionLedger({ mission: workflowIdFor("plan", "memory"), lane: "" });
  private readonly guards: EffectGuards;
  private readonly modelFor: (asking: Asking, wait: (ms: number) => Promise<void>) => Model;
  private readonly asked = new Map<string, number>();

  constructor(private readonly options: MemoryPlanOptions) {
    this.clock = new VirtualClock(options.now ?? START_OF_TIME);
    const { model, guards = new EffectGuards() } = options;
    this.guards = guards;
    const script = typeof model === "function" ? null : new PlanScript(model);
    this.modelFor = (asking, wait) =>
      script === null ? (model as (asking: Asking) => Model)(asking) : script.modelFor(asking, wait);
  }

  async runAgent(run: PlanAgentRun): Promise<Step> {
    const { tools, tool_times, prices, lookups, decide } = this.options;
    const agent = run.input.agent.name ?? null;
    const asking = { run: run.id, task_id: run.kind === "quality_gate" ? null : run.task_id, agent };
    const host: MemoryHost = new MemoryHost({
      model: this.modelFor(asking, (ms) => host.sleep(ms)),
      agent,
      scope: planRunWorkflowId(workflowIdFor("plan", "memory"), run.id),
      now: this.now(),
      prices,
      guards: this.guards,
      ...defined({ tools, tool_times, lookups, decide }),
    });
    this.runs.push({ run, sent: host.sent });
    const place = placeOfRun(run);
    const opened = host.open({ ...run.input, effects: this.effects.delegate(place) });
    const step = await stepOf(opened);
    await this.clock.until(host.now());
    this.effects.ended(place, opened.handedBack());
    return step;
  }

  async review({ task_id }: PlanReview): Promise<Json> {
    const count = this.asked.get(task_id) ?? 0;
    this.asked.set(task_id, count + 1);
    const decision = this.options.decisions?.[task_id]?.[count];
    if (decision === undefined) throw new NobodyDecides(task_id);
    return decidedValue(decision);
  }

  undoEffect(step: UndoStep): Promise<Result<Json>> {
    return undoInMemory(this.options.undos, step);
  }

  sleep(ms: number): Promise<void> {
    return this.clock.sleep(ms);
  }

  now(): number {
    return this.clock.now();
  }

  emit(event: PlanEvent): void {
    this.events.push(event);
  }
}

/**
 * Time that advances only while everything waits: many parallel jobs in memory, each with its own duration, and always
 * the same order of events.
 */
class VirtualClock {
  private readonly alarms: { at: number; wake: () => void }[] = [];

  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  sleep(ms: number): Promise<void> {
    return this.until(this.time + ms);
  }

  /** At once when it is that late already. */
  until(at: number): Promise<void> {
    if (at <= this.time) return Promise.resolve();
    return new Promise((wake) => {
      this.alarms.push({ at, wake });
    });
  }

  /**
   * Advances the time until the work is done.
   * @throws the error of the work, and an error if it waits and no timer is left
   */
  async during<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const ended = () => {
      over = true;
    };
    work.then(ended, ended);
    for (;;) {
      await quiet();
      if (over) return work;
      const next = this.alarms.reduce<(typeof this.alarms)[number] | undefined>(
        (first, alarm) => (first === undefined || alarm.at < first.at ? alarm : first),
        undefined,
      );
      if (next === undefined) throw new Error("everything waits, and no timer is left");
      this.alarms.splice(this.alarms.indexOf(next), 1);
      this.time = next.at;
      next.wake();
    }
  }
}

/** Runs everything that can continue without advancing the time. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
