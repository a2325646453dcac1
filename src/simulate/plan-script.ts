import type { Model, ModelCall } from "../models/model";
import { type Script, scriptedModel } from "../models/scripted";

/** The key of a run's replies: its task first, then its agent, then `default`. */
export interface Asking {
  run: string;
  task_id: string | null;
  agent: string | null;
}

/**
 * The script of a whole plan. A list stands under a task's id or an agent's name; each call of any of their runs takes the
 * next reply of it. Where several tasks of one agent run at once, lists under the tasks' ids keep them apart.
 */
export class PlanScript {
  private readonly counts = new Map<string, number>();
  private readonly numbers = new Map<string, number>();

  constructor(private readonly script: Script) {}

  modelFor(asking: Asking, wait: (ms: number, signal: AbortSignal) => Promise<void>): Model {
    const model = scriptedModel(this.script, "the scenario", wait);
    return {
      complete: (call, options) => {
        const agent = this.listOf(asking, call);
        const number = this.numberOf(agent, `${asking.run} ${call.tree_call ?? call.call}`);
        return model.complete({ ...call, agent, call: number, tree_call: number }, options);
      },
    };
  }

  private listOf({ task_id, agent }: Asking, call: ModelCall): string {
    if (Array.isArray(this.script)) return "";
    const own = call.agent === agent ? [task_id, agent] : [call.agent];
    const named = own.find((name) => name !== null && Object.hasOwn(this.script, name));
    return named ?? (Object.hasOwn(this.script, "default") ? "default" : (call.agent ?? ""));
  }

  /** A retried call is the same call. */
  private numberOf(list: string, call: string): number {
    const known = this.numbers.get(call);
    if (known !== undefined) return known;
    const next = (this.counts.get(list) ?? 0) + 1;
    this.counts.set(list, next);
    this.numbers.set(call, next);
    return next;
  }
}
