/** Errors and warnings about a definition (graph reference, section 2). */

/** The codes of mistakes that make a definition invalid. */
export type GraphErrorCode =
  | "missing_nodes"
  | "missing_edges"
  | "start_count"
  | "no_end"
  | "unknown_node_type"
  | "name_required"
  | "invalid_end_result"
  | "invalid_escalation"
  | "invalid_max_retries"
  | "invalid_outputs"
  | "workflow_required"
  | "unknown_source"
  | "unknown_target"
  | "edge_into_start"
  | "dead_end"
  | "unreachable_node"
  | "no_path_to_end"
  | "output_not_declared"
  | "duplicate_edge"
  | "subflow_cycle"
  | "fork_join_mismatch"
  | "fork_without_branches"
  | "degenerate_branch"
  | "nested_fork"
  | "invalid_max_concurrency"
  | "invalid_wait"
  // Values that cannot be read.
  | "invalid_id"
  | "id_mismatch"
  | "invalid_node_id"
  | "invalid_edge"
  | "invalid_property";

export type GraphWarningCode =
  | "uncovered_output"
  | "ambiguous_edge"
  | "unbounded_loop"
  | "retry_without_escalation"
  | "unused_max_retries"
  | "subflow_not_loaded"
  | "nothing_to_undo"
  | "unknown_property";

/** One mistake or one doubtful place in a definition (graph reference, section 2). */
export interface Finding {
  code: GraphErrorCode | GraphWarningCode;
  /** The mistake, its place, and what is expected. */
  message: string;
  nodeId?: string;
  /** 0-based. */
  edgeIndex?: number;
}

type Place = Pick<Finding, "nodeId" | "edgeIndex">;

/** Collects the mistakes and warnings of a definition. Nothing stops at the first one. */
export class GraphFindings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];

  /** @param isStored the definition was read before, by this version or an earlier one, and tasks run on it */
  constructor(private readonly isStored = false) {}

  /** A mistake that earlier versions accepted: the tasks that run on it continue. */
  errorIfNew(...given: Parameters<GraphFindings["error"]>): void {
    if (!this.isStored) this.error(...given);
  }

  error(code: GraphErrorCode, message: string, place: Place = {}): void {
    this.errors.push({ code, message, ...place });
  }

  warn(code: GraphWarningCode, message: string, place: Place = {}): void {
    this.warnings.push({ code, message, ...place });
  }
}

/** An edge of a definition that may have mistakes, as far as it could be read. */
export interface UncheckedEdge {
  index: number;
  from: string;
  to: string;
  on: string | undefined;
  /** What is undone when the node that it leads to fails; undefined also for a value that could not be read. */
  on_failure?: "undo" | undefined;
}

/** How findings name an edge. */
export function edgeText({ index, from, to, on }: UncheckedEdge): string {
  return `edges[${index}] (${from} -> ${to}${on === undefined ? "" : ` on ${on}`})`;
}
