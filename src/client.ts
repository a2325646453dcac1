/** Starts missions, tasks and plans, and talks to those that run. */
export { type ChatAnswer, NavigatorClient, type StartAgent, type StartTask } from "./client/client";
export { NavigatorError } from "./client/errors";
export { AgentHandle, ReviewedHandle, TaskHandle } from "./client/handles";
