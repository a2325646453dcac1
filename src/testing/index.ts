/** `navigator-agents/testing`: scripted models, tool stubs, faults, skipped time, and assertions on what a mission did. */
export type { Script, ScriptedReply } from "../models/scripted";
export type { SentMessage } from "../simulate/simulate-agent";
export type { ToolStub } from "../simulate/tool-stubs";
export {
  assertEffects,
  assertFailed,
  assertMissionLog,
  assertNothingHidden,
  assertOnce,
  assertReturned,
  type ExpectedEffect,
} from "./assertions";
export type { Effect } from "./effects";
export { crashWorker, type Fault, type LostWorker, type ModelFault, type ToolFault } from "./faults";
export { runInMemory } from "./in-memory";
export { type MissionRun, program, type TestDecision, type TestMission, type TestVerdict } from "./mission";
export { runOnTemporal, Stage, type TestServer } from "./stage";
export { stub, type TestTool } from "./tools";
