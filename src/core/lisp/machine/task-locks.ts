import { HostMap, HostSet } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { findCircle } from "../../base/ordering";
import { LispError } from "../values/errors";
import { shownId } from "../values/tool-values";
import type { Fiber } from "./fiber";
import type { Schedule } from "./schedule";

/** The most tasks that one message names. */
const NAMED_TASKS = 20;

interface Lock {
  owner: Fiber;
  waiters: Fiber[];
  /** The last record of a task with the same id inside this one. */
  noted?: Json;
}

export type LocksState = [id: string, owner: number, waiters: number[], noted?: Json][];

interface Waiter {
  fiber: Fiber;
  id: string;
}

/** The tasks that are running: a second branch with the same id waits for the outcome of the first. */
export class TaskLocks {
  private readonly locks = new HostMap<string, Lock>();

  constructor(private readonly schedule: Schedule) {}

  get waiters(): Fiber[] {
    return [...this.locks.values()].flatMap((lock) => lock.waiters);
  }

  /** Every lock: the task's id, the numbers of the fibers that run it and wait for it, the last record inside it. */
  state(): LocksState {
    return [...this.locks].map(([id, { owner, waiters, noted }]) => [
      id,
      owner.number,
      waiters.map(({ number }) => number),
      ...(noted === undefined ? [] : [noted]),
    ]) as LocksState;
  }

  restore(state: LocksState, fiber: (number: number) => Fiber): void {
    for (const [id, owner, waiters, ...noted] of state)
      this.locks.set(id, {
        owner: fiber(owner),
        waiters: waiters.map(fiber),
        ...(noted.length === 0 ? {} : { noted: noted[0] as Json }),
      });
  }

  /** The fiber that runs the task, if there is one. */
  owner(id: string): Fiber | undefined {
    return this.locks.get(id)?.owner;
  }

  take(id: string, owner: Fiber): void {
    this.locks.set(id, { owner, waiters: [] });
  }

  note(id: string, recorded: Json): void {
    const lock = this.locks.get(id);
    if (lock) lock.noted = recorded;
  }

  noted(id: string): Json | undefined {
    return this.locks.get(id)?.noted;
  }

  /** Blocks the fiber until the task ends, with or without success. */
  wait(id: string, fiber: Fiber): void {
    this.locks.get(id)?.waiters.push(fiber);
    fiber.state = "blocked";
  }

  release(id: string): void {
    const lock = this.locks.get(id);
    this.locks.delete(id);
    for (const waiter of lock?.waiters ?? []) this.schedule.wake(waiter);
  }

  /**
   * Called when no fiber can continue: branches that wait for each other's tasks would wait for ever. One of them
   * fails, which releases its tasks for the others.
   *
   * @returns whether there was such a circle
   */
  breakCircle(): boolean {
    const circle = this.circle();
    if (circle === undefined) return false;
    // Any of them would do. The one that started last is the same on every replay, and probably has done the least work.
    const victim = circle.reduce((last, one) => (one.fiber.number > last.fiber.number ? one : last));
    const lock = this.locks.get(victim.id) as Lock;
    lock.waiters.splice(lock.waiters.indexOf(victim.fiber), 1);
    victim.fiber.failure = circleError(
      victim.id,
      circle.map((one) => one.id),
    );
    this.schedule.wake(victim.fiber);
    return true;
  }

  /** Waiters in a circle: each waits for a task of the next one, or of a fiber around that one. */
  private circle(): Waiter[] | undefined {
    // These cannot continue before the waiter does: itself, and the fibers around it, which wait for their branches.
    const blocked = new HostMap<Fiber, Waiter>();
    for (const [id, lock] of this.locks)
      for (const fiber of lock.waiters)
        for (let at: Fiber | null = fiber; at !== null && !blocked.has(at); at = at.parent)
          blocked.set(at, { fiber, id });
    const next = (waiter: Waiter): Waiter[] => {
      const owner = blocked.get(this.owner(waiter.id) as Fiber);
      return owner === undefined ? [] : [owner];
    };
    return findCircle([...blocked.values()].slice(0, 1), next)?.slice(0, -1);
  }
}

function circleError(id: string, ids: string[]): LispError {
  const named = [...new HostSet(ids)].sort().slice(0, NAMED_TASKS).map(shownId);
  return new LispError(
    "eval_error",
    "task_deadlock",
    `(task "${shownId(id)}" ...) would wait for ever: parallel branches wait for each other's tasks ${named.map((one) => `"${one}"`).join(", ")}. Nest tasks in the same order in every branch, or do not nest them`,
    undefined,
    { ids: named },
  );
}
