/** `navigator-agents/testing`: scripted models, tool stubs, faults, skipped time, and assertions on what a mission did. */
export type { DocumentReference, Documents } from "../core/calls/document";
export type { EffectEntry, EffectState } from "../core/effects/entry";
export type { Script, ScriptedReply } from "../models/scripted";
export { memoryDocuments } from "../node/encoding/storage/memory-documents";
export { EffectGuards } from "../simulate/effect-guards";
export type { SentMessage } from "../simulate/simulate-agent";
export type { ToolStub } from "../simulate/tool-stubs";
export {
  assertEffects,
  assertFailed,
  assertLedger,
  assertMissionLog,
  assertNothingHidden,
  assertOnce,
  assertReturned,
  type ExpectedEffect,
  type ExpectedEntry,
} from "./assertions";
export type { Effect } from "./effects";
export { crashWorker, type Fault, type LostWorker, type ModelFault, type ToolFault } from "./faults";
export { runInMemory } from "./in-memory";
export {
  type AnyMissionRun,
  type MissionOf,
  type MissionRun,
  program,
  type TestDecision,
  type TestMission,
  type TestVerdict,
} from "./mission";
export { runOnTemporal, Stage, type TestServer } from "./stage";
export { type StubSettings, type StubTool, stub, type TestTool, typedTools } from "./tools";
