/** The resets as JSON, for continue-as-new. */
export interface TaskResetsState {
  resets: string[];
  open_resets: [task: string, times: number][];
  program_resets: [task: string, times: number][];
}

/**
 * The tasks that a run has reset, so that their next effects are others (effects reference, section 4). Resets are
 * counted: a program that runs again asks for the same ones.
 */
export class TaskResets {
  private readonly tasks: Set<string>;
  /** How often programs that did not succeed have reset a task. */
  private readonly open: Map<string, number>;
  private readonly ofProgram: Map<string, number>;

  constructor(state?: TaskResetsState) {
    this.tasks = new Set(state?.resets);
    this.open = new Map(state?.open_resets);
    this.ofProgram = new Map(state?.program_resets);
  }

  state(): TaskResetsState {
    return { resets: [...this.tasks], open_resets: [...this.open], program_resets: [...this.ofProgram] };
  }

  has(task: string): boolean {
    return this.tasks.has(task);
  }

  /**
   * The program resets a task. One without a record is counted only.
   *
   * @returns whether that is another reset: not one that an earlier program, which did not succeed, has asked for
   */
  note(task: string, isRecorded: boolean): boolean {
    const times = (this.ofProgram.get(task) ?? 0) + 1;
    this.ofProgram.set(task, times);
    if (!isRecorded || times <= (this.open.get(task) ?? 0)) return false;
    this.tasks.add(task);
    return true;
  }

  endProgram(succeeded: boolean): void {
    if (succeeded) this.open.clear();
    else for (const [task, times] of this.ofProgram) this.open.set(task, Math.max(times, this.open.get(task) ?? 0));
  }

  beginProgram(): void {
    this.ofProgram.clear();
  }
}
