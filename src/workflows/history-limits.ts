import { workflowInfo } from "@temporalio/workflow";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../core/base/limits";

/** Far below Temporal's limits (51,200 events, 50 MB), so that one long turn still fits. */
const MAX_EVENTS = 8_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Near Temporal's limits. Beyond them the server terminates the workflow, without a result. */
const LAST_EVENTS = 45_000;
const LAST_BYTES = 44 * 1024 * 1024;

/**
 * The cost of a replay of the run, in ms of CPU on a core that has nothing else to do. It is estimated from the events
 * of the workflow, never measured: a replay must come to the same number.
 */
export class ReplayCost {
  private ms = 0;

  /** The workflow was woken for an answer of an activity or of a child. */
  answered(): void {
    this.ms += MS_PER_ANSWER;
  }

  /** The journal changed. */
  recorded(): void {
    this.ms += MS_PER_RECORD;
  }

  /** A program made these steps. */
  stepped(steps: number): void {
    this.ms += steps / STEPS_PER_MS;
  }

  /** A worker that lost the run could need longer than a workflow task may take, if its core is busy. */
  get isHigh(): boolean {
    return this.ms > workflowInfo().taskTimeoutMs * SHARE_OF_TIMEOUT;
  }
}

const MS_PER_ANSWER = 1.5;
const MS_PER_RECORD = 0.05;
const STEPS_PER_MS = 5_000;
/** The share of the workflow task's time: a busy core may be several times slower. */
const SHARE_OF_TIMEOUT = 0.1;

/**
 * The workflow task timeout of a run that continued as new. It was long once, so it may take its time to come back; the
 * first run of a mission has a shorter one, because it is also the delay after a worker is killed in a workflow task.
 */
export const LONG_RUN_TASK_TIMEOUT_MS = 2 * WORKFLOW_TASK_TIMEOUT_MS;

/** Whether the run should continue as new at its next safe point. */
export function historyIsLong(cost?: ReplayCost): boolean {
  const info = workflowInfo();
  if (info.continueAsNewSuggested || info.historyLength > MAX_EVENTS || info.historySize > MAX_BYTES) return true;
  return cost?.isHigh === true;
}

/** Whether the run must end, if it cannot continue as new. */
export function historyIsFull(): boolean {
  const info = workflowInfo();
  return info.historyLength > LAST_EVENTS || info.historySize > LAST_BYTES;
}

/** In the middle of a turn calls are under way: each writes up to six events, with its arguments and its answer. */
const EVENTS_OF_CALL = 6;
const MAX_EVENTS_IN_TURN = 9_500;
const MAX_BYTES_IN_TURN = 6 * 1024 * 1024;

/** A state that was too large to continue as new: it is tried again when the history has grown. */
class NextTry {
  private length = 0;

  get isDue(): boolean {
    return workflowInfo().historyLength >= this.length;
  }

  defer(): void {
    this.length = workflowInfo().historyLength + 1_000;
  }
}

/**
 * The events and bytes that calls in the middle of a turn may still add to the history. The server reports the length
 * of the history once for each workflow task, and one task may make many short calls, so their events and bytes are
 * counted here until the next report.
 */
export class HistoryBudget {
  private knownLength = -1;
  private calls = 0;
  private bytes = 0;
  private readonly next = new NextTry();

  constructor(private readonly cost: ReplayCost) {}

  /** A call ended; `bytes` are those of its arguments and its answer. */
  note(bytes: number): void {
    this.refresh();
    this.calls += 1;
    this.bytes += bytes;
  }

  /** Whether no further call may be made while `underWay` calls are being made. */
  isUsed(underWay: number): boolean {
    this.refresh();
    const { historyLength, historySize } = workflowInfo();
    if (!this.next.isDue && !historyIsFull()) return false;
    const events = historyLength + this.calls + EVENTS_OF_CALL * (underWay + 1);
    return historyIsLong(this.cost) || events > MAX_EVENTS_IN_TURN || historySize + this.bytes > MAX_BYTES_IN_TURN;
  }

  /** The run cannot continue as new yet. */
  stay(): void {
    this.next.defer();
  }

  private refresh(): void {
    const { historyLength } = workflowInfo();
    if (historyLength === this.knownLength) return;
    this.knownLength = historyLength;
    this.calls = 0;
    this.bytes = 0;
  }
}

/**
 * After so many refused signals a waiting run continues as new, however short its history is: a worker that takes it over
 * handles all of them again, as many as arrived together in one workflow task.
 */
const MANY_REFUSED = 300;

/** Counts the signals that changed nothing: a workflow that waits must not be filled with them. */
export class IdleSignals {
  private count = 0;
  private readonly next = new NextTry();

  /** Counts one. True: the workflow should continue as new, if it only waits. */
  add(): boolean {
    this.count += 1;
    if (!historyIsLong() && this.count % MANY_REFUSED !== 0) return false;
    return this.next.isDue;
  }

  /** The workflow cannot continue as new yet. */
  stay(): void {
    this.next.defer();
  }
}
