import type { McpTool } from "../context/tool";
import { appDecideReviewTool } from "./app/app-decide-review";
import { appGetMissionTool } from "./app/app-get-mission";
import { appGetReviewTool } from "./app/app-get-review";
import { currentTool } from "./navigation/current";
import { initTool } from "./navigation/init";
import { nextTool } from "./navigation/next";
import { startTool } from "./navigation/start";
import { decideReviewTool } from "./reviews/decide-review";
import { getReviewTool } from "./reviews/get-review";
import { listReviewsTool } from "./reviews/list-reviews";
import { getEffectsTool } from "./runs/get-effects";
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

/** Every tool, in the order in which clients list them. The twelve of the graph reference, section 8, come first. */
export const TOOLS: readonly McpTool[] = [
  listWorkflowsTool,
  loadWorkflowTool,
  getExecutionPlanTool,
  loadTaskTreeTool,
  getNextTasksFromTreeTool,
  advanceTaskTool,
  getTaskTool,
  getTaskProgressTool,
  getTasksByStatusTool,
  getPendingSyncsTool,
  confirmSyncTool,
  confirmSyncForTaskTool,
  initTool,
  startTool,
  currentTool,
  nextTool,
  getDiagramTool,
  listCatalogTool,
  copyWorkflowsTool,
  loadWorkflowsTool,
  selectWorkflowTool,
  createTaskTool,
  claimTaskTool,
  claimNextTasksTool,
  releaseClaimTool,
  pauseTaskTool,
  resumeTaskTool,
  cancelTaskTool,
  waitForTaskTool,
  listReviewsTool,
  getReviewTool,
  decideReviewTool,
  getJournalTool,
  getMissionLogTool,
  getEffectsTool,
  recordDecisionTool,
  getRunTool,
  startTaskTool,
  runAgentTool,
];

/** The loop of one orchestrator: what there is, a new task, the next one, its step, and how that ended. */
export const CORE_TOOLS: readonly McpTool[] = [
  listWorkflowsTool,
  createTaskTool,
  getNextTasksFromTreeTool,
  startTool,
  currentTool,
  nextTool,
  getTaskTool,
];

/** For the views alone: only a client that shows views is given them, and it keeps them from its model. */
export const VIEW_TOOLS: readonly McpTool[] = [appGetReviewTool, appDecideReviewTool, appGetMissionTool];
