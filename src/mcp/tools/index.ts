import type { McpTool } from "../context/tool";
import type { ToolName } from "../context/tool-names";
import { currentTool } from "./navigation/current";
import { initTool } from "./navigation/init";
import { nextTool } from "./navigation/next";
import { startTool } from "./navigation/start";
import { decideReviewTool } from "./reviews/decide-review";
import { getReviewTool } from "./reviews/get-review";
import { listReviewsTool } from "./reviews/list-reviews";
import { getJournalTool } from "./runs/get-journal";
import { getMissionLogTool } from "./runs/get-mission-log";
import { getRunTool } from "./runs/get-run";
import { recordDecisionTool } from "./runs/record-decision";
import { runAgentTool } from "./runs/run-agent";
import { advanceTaskTool } from "./tasks/advance-task";
import { cancelTaskTool } from "./tasks/cancel-task";
import { claimNextTasksTool } from "./tasks/claim-next-tasks";
import { claimTaskTool } from "./tasks/claim-task";
import { confirmSyncTool } from "./tasks/confirm-sync";
import { confirmSyncForTaskTool } from "./tasks/confirm-sync-for-task";
import { createTaskTool } from "./tasks/create-task";
import { getNextTasksFromTreeTool } from "./tasks/get-next-tasks-from-tree";
import { getPendingSyncsTool } from "./tasks/get-pending-syncs";
import { getTaskTool } from "./tasks/get-task";
import { getTaskProgressTool } from "./tasks/get-task-progress";
import { getTasksByStatusTool } from "./tasks/get-tasks-by-status";
import { loadTaskTreeTool } from "./tasks/load-task-tree";
import { pauseTaskTool } from "./tasks/pause-task";
import { releaseClaimTool } from "./tasks/release-claim";
import { resumeTaskTool } from "./tasks/resume-task";
import { startTaskTool } from "./tasks/start-task";
import { waitForTaskTool } from "./tasks/wait-for-task";
import { copyWorkflowsTool } from "./workflows/copy-workflows";
import { getDiagramTool } from "./workflows/get-diagram";
import { getExecutionPlanTool } from "./workflows/get-execution-plan";
import { listCatalogTool } from "./workflows/list-catalog";
import { listWorkflowsTool } from "./workflows/list-workflows";
import { loadWorkflowTool } from "./workflows/load-workflow";
import { loadWorkflowsTool } from "./workflows/load-workflows";
import { selectWorkflowTool } from "./workflows/select-workflow";

/** Every tool under its name, in the order in which clients list them. A name without its tool does not compile. */
const TOOLS_BY_NAME = {
  list_workflows: listWorkflowsTool,
  load_workflow: loadWorkflowTool,
  get_execution_plan: getExecutionPlanTool,
  load_task_tree: loadTaskTreeTool,
  get_next_tasks_from_tree: getNextTasksFromTreeTool,
  advance_task: advanceTaskTool,
  get_task: getTaskTool,
  get_task_progress: getTaskProgressTool,
  get_tasks_by_status: getTasksByStatusTool,
  get_pending_syncs: getPendingSyncsTool,
  confirm_sync: confirmSyncTool,
  confirm_sync_for_task: confirmSyncForTaskTool,
  init: initTool,
  start: startTool,
  current: currentTool,
  next: nextTool,
  get_diagram: getDiagramTool,
  list_catalog: listCatalogTool,
  copy_workflows: copyWorkflowsTool,
  load_workflows: loadWorkflowsTool,
  select_workflow: selectWorkflowTool,
  create_task: createTaskTool,
  claim_task: claimTaskTool,
  claim_next_tasks: claimNextTasksTool,
  release_claim: releaseClaimTool,
  pause_task: pauseTaskTool,
  resume_task: resumeTaskTool,
  cancel_task: cancelTaskTool,
  wait_for_task: waitForTaskTool,
  list_reviews: listReviewsTool,
  get_review: getReviewTool,
  decide_review: decideReviewTool,
  get_journal: getJournalTool,
  get_mission_log: getMissionLogTool,
  record_decision: recordDecisionTool,
  get_run: getRunTool,
  start_task: startTaskTool,
  run_agent: runAgentTool,
} satisfies { [N in ToolName]: McpTool & { name: N } };

export const TOOLS: readonly McpTool[] = Object.values(TOOLS_BY_NAME);
