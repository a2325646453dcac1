import type { AgentDefinition } from "../../../src/core/agent/definition/definition";
import { defined } from "../../../src/core/base/defined";
import type { JsonObject } from "../../../src/core/base/json";
import { parseDefinition } from "../../../src/core/graph/definition/parse";
import { newTask } from "../../../src/core/graph/task/task";
import type { PlanOptionsInput } from "../../../src/core/plan/definition/options";
import type { Model } from "../../../src/models/model";
import { type Script, scriptedModel } from "../../../src/models/scripted";
import { agentOf, fenced, missionLogOf } from "../../core/agent/run/mission";
import { SERVICE_TOOLS } from "./counting-service";
import type { AgentMission, FaultyMission, PlanMission, TaskMission } from "./effect-faults";

/** What every host starts a mission of the table with. */

const START = Date.UTC(2030, 0, 1);

export const agentInput = (mission: AgentMission) => ({
  agent: agentOf({ max_turns: 8, tools: SERVICE_TOOLS, ...mission.agent }),
  context: {},
  journal: {},
  model: "scripted",
});

/** The plan has one task after another, and is repaired once it fails. */
export function planInput({ tasks, journal }: PlanMission) {
  const options: PlanOptionsInput = {
    llm: "scripted",
    base_tools: SERVICE_TOOLS,
    ...defined({ journal }),
    check_plans: false,
    replan_cooldown_ms: 0,
  };
  return { plan: planOf(tasks), mission: "Pay.", options };
}

function planOf(tasks: PlanMission["tasks"]): JsonObject {
  const ids = Object.keys(tasks);
  return {
    tasks: Object.entries(tasks).map(([id, input], i) => ({
      id,
      agent: "direct",
      input,
      depends_on: ids.slice(0, i),
      on_failure: "replan",
    })),
  };
}

export function taskInput({ nodes, edges, script }: TaskMission, id: string) {
  const parsed = parseDefinition({ id: "faulty", nodes, edges } as JsonObject);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.fail.details));
  const { definition } = parsed.value;
  const task = newTask({ id, issueId: "I-1", workflowType: "faulty" }, definition, START);
  const agents: { [name: string]: AgentDefinition } = {};
  for (const name of Object.keys(script)) agents[name] = agentOf({ name, max_turns: 3, tools: SERVICE_TOOLS });
  return { task, definition, agents, model: "scripted" };
}

/** A model, and what it was told: the last message and the Mission Log of each call. */
interface Listening {
  model: Model;
  heard: string[];
  logs: string[];
}

/** A model that says what the mission's script says. */
export function listeningModel(mission: FaultyMission): Listening {
  const heard: string[] = [];
  const logs: string[] = [];
  const scripted = scriptedModel(scriptOf(mission), "the fault");
  const model: Model = {
    complete: (call, options) => {
      heard.push(call.messages.at(-1)?.content ?? "");
      logs.push(missionLogOf(call));
      return scripted.complete(call, options);
    },
  };
  return { model, heard, logs };
}

function scriptOf(mission: FaultyMission): Script {
  switch (mission.kind) {
    case "agent":
      return mission.script;
    case "plan":
      return { planner: [JSON.stringify(planOf(mission.repaired))] };
    case "task":
      return Object.fromEntries(Object.entries(mission.script).map(([name, says]) => [name, says.map(fenced)]));
  }
}
