import type { McpTool } from "../context/tool";
import {
  advanceTaskTool,
  cancelTaskTool,
  claimNextTasksTool,
  claimTaskTool,
  pauseTaskTool,
  releaseClaimTool,
  resumeTaskTool,
} from "./moves";
import { currentTool, initTool, nextTool, startTool } from "./navigation";
import { decideReviewTool, getReviewTool, listReviewsTool } from "./reviews";
import {
  getEffectsTool,
  getJournalTool,
  getMissionLogTool,
  getRunTool,
  recordDecisionTool,
  runAgentTool,
} from "./runs";
import { confirmSyncForTaskTool, confirmSyncTool, getPendingSyncsTool } from "./syncs";
import {
  createTaskTool,
  getNextTasksFromTreeTool,
  getTaskProgressTool,
  getTasksByStatusTool,
  getTaskTool,
  loadTaskTreeTool,
  startTaskTool,
  waitForTaskTool,
} from "./tasks";
import { appDecideReviewTool, appGetMissionTool, appGetReviewTool } from "./views";
import {
  copyWorkflowsTool,
  getDiagramTool,
  getExecutionPlanTool,
  listCatalogTool,
  listWorkflowsTool,
  loadWorkflowsTool,
  loadWorkflowTool,
  selectWorkflowTool,
} from "./workflows";

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
