/**
 * The task or plan that an agent works for. Its agents outlive it for Temporal, so the worker looks before each call
 * whether it still runs.
 */
export interface Owner {
  workflow_id: string;
  /** The run id of the first run in its chain. */
  run_id: string;
}
