/** Starts missions, tasks and plans, and talks to those that run. */
export { type ChatAnswer, NavigatorClient, type StartAgent, type StartTask } from "./client/client";
export { AgentHandle, ReviewedHandle, TaskHandle } from "./client/handles";
export { NavigatorError } from "./core/base/navigator-error";
