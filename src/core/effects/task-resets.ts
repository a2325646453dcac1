/** The resets as JSON, for continue-as-new. */
export interface TaskResetsState {
  open_resets: [task: string, times: number][];
  program_resets: [task: string, times: number][];
  /** Absent: no record was reset. */
  reset_effects?: ResetEffectsState;
}

interface ResetEffectsState {
  keys: string[];
  settled: string[];
  licences: [task: string, effects: [id: string, times: number][]][];
  used: [key: string, task: string, id: string][];
}

/**
 * The tasks that a run has reset, so that their next effects are others (effects reference, section 4). Resets are
 * counted: a program that runs again asks for the same ones. Each effect of a record that was reset may be made once more
 * in its task without a question.
 */
export class TaskResets {
  /** How often programs that did not succeed have reset a task. */
  private readonly open: Map<string, number>;
  private readonly ofProgram: Map<string, number>;
  /** The effects whose record was reset, by key, and those of them that a reset of this program has settled. */
  private readonly keys: Set<string>;
  private readonly settled: Set<string>;
  /** Of each task that was reset: how often it may make an effect. */
  private readonly licences: Map<string, Map<string, number>>;
  /** By the key of the effect that is made in this program. */
  private readonly used: Map<string, { task: string; id: string }>;

  constructor(state?: TaskResetsState) {
    const effects = state?.reset_effects;
    this.open = new Map(state?.open_resets);
    this.ofProgram = new Map(state?.program_resets);
    this.keys = new Set(effects?.keys);
    this.settled = new Set(effects?.settled);
    this.licences = new Map(effects?.licences.map(([task, ids]) => [task, new Map(ids)]));
    this.used = new Map(effects?.used.map(([key, task, id]) => [key, { task, id }]));
  }

  state(): TaskResetsState {
    const { keys, settled, licences, used } = this;
    const reset_effects = {
      keys: [...keys],
      settled: [...settled],
      licences: [...licences].map(([task, ids]): ResetEffectsState["licences"][number] => [task, [...ids]]),
      used: [...used].map(([key, { task, id }]): ResetEffectsState["used"][number] => [key, task, id]),
    };
    return {
      open_resets: [...this.open],
      program_resets: [...this.ofProgram],
      ...(licences.size === 0 ? {} : { reset_effects }),
    };
  }

  /** Whether the record of the effect was reset. */
  hasReset(key: string): boolean {
    return this.keys.has(key);
  }

  /** The effects that a reset of this program has settled. */
  get settledHere(): Iterable<string> {
    return this.settled;
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
    if (!this.licences.has(task)) this.licences.set(task, new Map());
    return true;
  }

  /** The record that was reset had this effect. @param settles whether the reset has settled it */
  noteEffect(task: string, { key, id }: { key: string; id: string }, settles: boolean): void {
    if (settles) this.settled.add(key);
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.giveLicence(task, id);
  }

  /** Whether a reset asks for the effect that is made with this key. It asks for each only once. */
  use(task: string, id: string, key: string): boolean {
    if (this.used.has(key)) return true;
    const ids = this.licences.get(task);
    const times = ids?.get(id) ?? 0;
    if (times === 0) return false;
    ids?.set(id, times - 1);
    this.used.set(key, { task, id });
    return true;
  }

  /** The effect with this key is not made after all. */
  giveBack(key: string): void {
    const used = this.used.get(key);
    if (used === undefined) return;
    this.used.delete(key);
    this.giveLicence(used.task, used.id);
  }

  rekey(before: string, key: string): void {
    if (this.keys.delete(before)) this.keys.add(key);
    if (this.settled.delete(before)) this.settled.add(key);
    const used = this.used.get(before);
    if (used !== undefined) this.used.set(key, used);
    this.used.delete(before);
  }

  endProgram(succeeded: boolean): void {
    if (succeeded) this.open.clear();
    else for (const [task, times] of this.ofProgram) this.open.set(task, Math.max(times, this.open.get(task) ?? 0));
  }

  beginProgram(): void {
    this.ofProgram.clear();
    this.settled.clear();
    this.used.clear();
  }

  private giveLicence(task: string, id: string): void {
    const ids = this.licences.get(task);
    ids?.set(id, (ids.get(id) ?? 0) + 1);
  }
}
