import { isWithinScope, scopeIn, scopePart } from "./effect-key";

/** The agent scopes as JSON, for continue-as-new. */
export interface AgentScopesState {
  epoch: number;
  /** Since a program succeeded: how often each tool was called. */
  agents: [tool: string, count: number][];
  lanes: [scope: string, asked: string][];
  /** In the middle of a program: the scopes of the agents that it called. */
  agent_lanes: [call: number, scope: string][];
  /** Of agents that were called in a task: its id; absent = none was. */
  agent_tasks?: [scope: string, task: string][];
  /** Since a program succeeded, of agents that were called in other tasks before: those tasks; absent = none was. */
  agent_tasks_before?: [scope: string, task: string][];
}

/**
 * The scopes of the agents that a run calls (effects reference, section 3). A call that equals one of a program that
 * did not succeed gets the scope of that call.
 */
export class AgentScopes {
  /** Grows when a program succeeds: agents that are called later get other scopes. */
  private epoch: number;
  private readonly agents: Map<string, number>;
  private readonly lanes: [scope: string, asked: string][];
  private readonly byCall: Map<number, string>;
  /** The tasks around the calls, by agent scope. */
  private readonly tasks: Map<string, string>;
  /** The same of earlier calls since a program succeeded: a record may be made of them. */
  private readonly tasksBefore: [scope: string, task: string][];
  /** Of agents that work now. */
  private readonly running = new Set<string>();

  constructor(
    private readonly scope: string,
    state?: AgentScopesState,
    firstEpoch = 0,
  ) {
    this.epoch = state?.epoch ?? firstEpoch;
    this.agents = new Map(state?.agents);
    this.lanes = [...(state?.lanes ?? [])];
    this.byCall = new Map(state?.agent_lanes);
    this.tasks = new Map(state?.agent_tasks);
    this.tasksBefore = [...(state?.agent_tasks_before ?? [])];
  }

  state(): AgentScopesState {
    return {
      epoch: this.epoch,
      agents: [...this.agents],
      lanes: [...this.lanes],
      agent_lanes: [...this.byCall],
      ...(this.tasks.size === 0 ? {} : { agent_tasks: [...this.tasks] }),
      ...(this.tasksBefore.length === 0 ? {} : { agent_tasks_before: [...this.tasksBefore] }),
    };
  }

  /** Whether agents work now. */
  get areRunning(): boolean {
    return this.running.size > 0;
  }

  /** Whether an agent works now in this scope, or around it. */
  isRunning(scope: string): boolean {
    return [...this.running].some((outer) => isWithinScope(scope, outer));
  }

  /** @param asked the digest of the call */
  scopeOf(tool: string, call: number, asked: string): string {
    const known = this.byCall.get(call);
    if (known !== undefined) return known;
    const taken = new Set(this.byCall.values());
    const before = this.lanes.find(([scope, digest]) => digest === asked && !taken.has(scope))?.[0];
    const scope = before ?? scopeIn(this.scope, `${this.epoch}.${scopePart(tool)}.${this.count(tool)}`);
    if (before === undefined) this.lanes.push([scope, asked]);
    this.byCall.set(call, scope);
    return scope;
  }

  /** @param task around the call */
  begin(scope: string, task: string | undefined): void {
    this.running.add(scope);
    const before = this.tasks.get(scope);
    if (before !== undefined && before !== task) this.tasksBefore.push([scope, before]);
    if (task === undefined) this.tasks.delete(scope);
    else this.tasks.set(scope, task);
  }

  /** Whether an agent that was called in this task worked in this scope, or around it. */
  isOfTask(scope: string, task: string): boolean {
    for (const [outer, around] of this.tasks) if (around === task && isWithinScope(scope, outer)) return true;
    return false;
  }

  /** The scopes of the agents that were called like this in this task, since a program succeeded. */
  scopesOf(task: string, asked: string): string[] {
    const isOfTask = (scope: string) =>
      this.tasks.get(scope) === task || this.tasksBefore.some(([one, before]) => one === scope && before === task);
    return this.lanes.flatMap(([scope, digest]) => (digest === asked && isOfTask(scope) ? [scope] : []));
  }

  /** The task around a call of an agent; undefined = none. */
  taskOf(call: number): string | undefined {
    return this.tasks.get(this.byCall.get(call) ?? "");
  }

  end(call: number): void {
    const scope = this.byCall.get(call);
    if (scope !== undefined) this.running.delete(scope);
  }

  programSucceeded(): void {
    this.epoch += 1;
    this.agents.clear();
    this.lanes.length = 0;
    this.tasksBefore.length = 0;
  }

  beginProgram(): void {
    this.byCall.clear();
  }

  private count(tool: string): number {
    const count = (this.agents.get(tool) ?? 0) + 1;
    this.agents.set(tool, count);
    return count;
  }
}
