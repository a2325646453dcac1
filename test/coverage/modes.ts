import { AgentFile } from "../../src/core/agent/definition/agent-file";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { RunOptions } from "../../src/core/agent/definition/run-options";
import { isObject } from "../../src/core/base/is-object";
import type { Json, JsonObject } from "../../src/core/base/json";
import { NODE_TYPES } from "../../src/core/graph/nodes";
import { END_RESULTS, ESCALATIONS } from "../../src/core/graph/nodes/node-kind";
import { PlanOptionsFile, parsePlanOptions } from "../../src/core/plan/definition/options";
import { PLAN_SCHEMA } from "../../src/core/plan/definition/plan-schema";
import type { Activity, RecordedRun } from "./facts";

/**
 * The ways in which a workflow may be running when a new version is deployed. Each must have a recorded history. Lists of
 * options, node types and the like come from the code; the rest is named here.
 */
export interface Mode {
  workflow: string;
  mode: string;
  /** Whether a run is one of these. */
  is(run: RecordedRun): boolean;
}

const record = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {});
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

type Row = [mode: string, is: (run: RecordedRun) => boolean];
const modes = (workflow: string, rows: Row[]): Mode[] => rows.map(([mode, is]) => ({ workflow, mode, is }));

const without = (names: string[], name: string) => names.filter((one) => one !== name);
const has = (run: RecordedRun, type: string) => run.events.some((event) => event.type === type);
const decided = (run: RecordedRun, is: (decision: JsonObject) => boolean) =>
  [...run.updates, ...run.signals].some(({ name, argument }) => name === "decide" && is(record(argument)));
const calls = (run: RecordedRun, name: string, is: (call: Activity) => boolean = () => true) =>
  run.activities.some((activity) => activity.name === name && is(activity));
const sideBySide = (run: RecordedRun, is: (call: Activity) => boolean = () => true) =>
  calls(run, "runCalls", (call) => call.input.calls !== undefined && is(call));
const failReason = (run: RecordedRun) => record(run.result.fail).reason;
const continued = (run: RecordedRun) => run.end === "continued";
const carried = (run: RecordedRun) => record(run.input.carried);
const afterEvent = (run: RecordedRun, type: string, then: string) =>
  run.events.findLastIndex((event) => event.type === then) > run.events.findIndex((event) => event.type === type) &&
  has(run, type);

// Agents

const agent = (run: RecordedRun) => record(run.input.agent);
const tools = (run: RecordedRun) => list(agent(run).tools).map(record);
const isText = (run: RecordedRun) => agent(run).output === "text";
const toolSays = (key: string) => (run: RecordedRun) => tools(run).some((tool) => tool[key] !== undefined);
const effect = (name: string) => (run: RecordedRun) =>
  tools(run).some(
    (tool) => tool.effect === name && calls(run, "callTool", ({ input, local }) => local || input.name === tool.name),
  );
const notified = (event: string) => (run: RecordedRun) =>
  calls(run, "planDeliveries", ({ input }) => input.event === event);
const parks = (run: RecordedRun) =>
  JSON.stringify(run.events).includes(btoa('"WAITING"')) && !calls(run, "planDeliveries");

/** What can become of a message in the outbox of a review. */
const delivered = (run: RecordedRun, is: (one: Activity) => boolean) => calls(run, "deliver", is);
const OUTBOX: Row[] = [
  ["a message that arrives", (run) => delivered(run, ({ end }) => end === "completed")],
  ["a message that is refused for good", (run) => delivered(run, ({ end }) => end === "failed")],
  [
    "a message that is tried on after it was shown",
    (run) =>
      delivered(
        run,
        ({ end, input }) => end === "completed" && hooksOf(run).filter((one) => same(one, input)).length > 1,
      ),
  ],
  ["a message that is dropped with its review", (run) => has(run, "ActivityTaskCancelRequested")],
];
const hooksOf = (run: RecordedRun): Json[] =>
  run.activities
    .filter(({ name, input }) => name === "deliver" && input.channel === "webhook")
    .map(({ input }) => input);

/** It writes in its memo what waits in it; a run that continued another one may begin with that. */
const publishes = (field: string) => (run: RecordedRun) =>
  run.events.some(({ attributes }) => Object.hasOwn(record(record(attributes.upsertedMemo).fields), field));
const beginsWith = (field: string) => (run: RecordedRun) =>
  Object.keys(carried(run)).length > 0 && Object.hasOwn(record(record(run.events[0]?.attributes.memo).fields), field);

const wasBlocked = (run: RecordedRun) => JSON.stringify(run.events).includes(btoa('"BLOCKED"'));
const blockedForGood = (run: RecordedRun) => wasBlocked(run) && run.end === "failed";

const AGENT_DEFAULTS = (() => {
  const parsed = parseAgent({ prompt: "any" });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value as unknown as JsonObject;
})();

const AGENTS = modes("agentRun", [
  ["publishes its reviews", publishes("reviews")],
  ["publishes what it is parked for", publishes("parked")],
  ["parked, begins with what an earlier run published", beginsWith("parked")],
  [
    "publishes since when it is blocked",
    (run) => wasBlocked(run) && JSON.stringify(run.events).includes("NavigatorAskedAt"),
  ],
  // Every agent has a prompt.
  ...without(Object.keys(AgentFile().shape), "prompt").map(
    (option): Row => [
      `agent option ${option}`,
      (run) => agent(run)[option] !== undefined && !same(agent(run)[option], AGENT_DEFAULTS[option]),
    ],
  ),
  ...Object.keys(RunOptions().shape).map(
    (option): Row => [`run option ${option}`, (run) => (run.input[option] ?? null) !== null],
  ),
  ["is told of new records in messages", (run) => JSON.stringify(run.activities).includes("(New Records)")],
  ["answers in text, without tools", (run) => isText(run) && tools(run).length === 0],
  ["answers in text, with tools", (run) => isText(run) && calls(run, "callTool")],
  [
    "finished native calls are in the journal",
    (run) => isText(run) && calls(run, "callTool") && run.input.journal !== null,
  ],
  ["an index of tools, and a search", (run) => tools(run).length > Number(agent(run).tools_in_prompt)],
  ["answers with programs", (run) => !isText(run) && calls(run, "callModel")],
  ["one turn", (run) => agent(run).max_turns === 1],
  ["correction turns", (run) => Number(agent(run).retry_turns) > 0],
  ["a compiled program, no model", (run) => run.input.program !== undefined && !calls(run, "callModel")],
  ["without a journal", (run) => run.input.journal === null && run.input.carried === undefined],
  ["with a journal from before", (run) => Object.keys(record(run.input.journal)).length > 0],
  ["tool effect read, as a local activity", (run) => calls(run, "callTool", ({ local }) => local)],
  ["tool effect read, as an activity", (run) => effect("read")(run) && calls(run, "callTool", ({ local }) => !local)],
  ["tool effect write", effect("write")],
  ["tool effect irreversible", effect("irreversible")],
  ["a tool whose answers are cached", toolSays("cache")],
  ["a tool with a time limit of its own", toolSays("timeout_ms")],
  ["a tool on another task queue", toolSays("task_queue")],
  ["a tool with a heartbeat of its own", toolSays("heartbeat_ms")],
  ["a tool with attempts of its own", toolSays("retry")],
  ["a paced tool", toolSays("rate_limit")],
  ["calls side by side", (run) => sideBySide(run, ({ end }) => end === "completed")],
  ["calls side by side, in text mode", (run) => isText(run) && sideBySide(run)],
  [
    "a call that could not be made side by side with others",
    (run) => sideBySide(run, ({ result }) => list(record(result).open).length > 0),
  ],
  ["cancelled during calls side by side", (run) => run.end === "canceled" && sideBySide(run)],
  ["idempotent calls in one activity", (run) => effect("idempotent")(run) && calls(run, "runCalls")],
  ["a tool that completes later", toolSays("completes_later")],
  ["a tool call whose outcome is lost", (run) => calls(run, "callTool", ({ end }) => end === "lost")],
  ["blocked until a worker has what is missing", (run) => wasBlocked(run) && run.end === "completed"],
  ["blocked until the limit, by a tool", (run) => blockedForGood(run) && calls(run, "callTool")],
  [
    "blocked until the limit, by a model",
    (run) => blockedForGood(run) && record(run.result.fail).reason === "configuration_error" && !calls(run, "callTool"),
  ],
  ["blocked before its first turn", (run) => wasBlocked(run) && calls(run, "describeTools", ({ local }) => !local)],
  ["a tool call that fails", (run) => calls(run, "callTool", ({ result }) => record(result).ok === false)],
  [
    "tools by name alone",
    (run) => list(agent(run).tools).some((tool) => typeof tool === "string") && run.end === "completed",
  ],
  ["a tool name that nobody knows", (run) => calls(run, "describeTools") && run.end === "failed"],
  ["an agent as a tool", (run) => run.children.includes("agentRun")],
  ["agents as tools side by side", (run) => run.children.length > 2],
  ["itself as a tool", (run) => tools(run).some(({ self }) => self === true) && run.children.length > 0],
  [
    "is a tool of another agent",
    (run) => record(run.events[0]?.attributes.parentWorkflowExecution).workflowId !== undefined,
  ],
  ["a child that was terminated", (run) => has(run, "ChildWorkflowExecutionTerminated")],
  ["a child that was canceled", (run) => has(run, "ChildWorkflowExecutionCanceled")],
  ["a model as a tool", (run) => tools(run).some(({ llm }) => llm !== undefined)],
  [
    "a model as a tool, with settings of its own",
    (run) => tools(run).some(({ llm }) => record(llm).model_settings !== undefined) && run.children.length > 0,
  ],
  [
    "several models, of which one fails",
    (run) => list(agent(run).model).length > 1 && calls(run, "callModel", ({ end }) => end === "failed"),
  ],
  [
    "model calls that are tried again by the run",
    (run) => agent(run).llm_retry !== undefined && has(run, "TimerFired"),
  ],
  ["a budget in tokens", (run) => record(run.input.budget).tokens !== undefined],
  ["a budget in money", (run) => record(run.input.budget).cost !== undefined && calls(run, "priceModels")],
  ["a budget that ends the run", (run) => failReason(run) === "budget_callback_exceeded"],
  ["a budget that was topped up", (run) => decided(run, ({ choice }) => choice === "top_up")],
  ["the budget of another run", (run) => run.input.budget_root !== undefined && run.sent.includes("settleBudget")],
  [
    "the budget of a run that is over",
    (run) => run.input.budget_root !== undefined && has(run, "SignalExternalWorkflowExecutionFailed"),
  ],
  [
    "a share of the budget for a run that is over",
    (run) => run.sent.includes("budgetAnswer") && has(run, "SignalExternalWorkflowExecutionFailed"),
  ],
  [
    "an approval with other arguments",
    (run) => decided(run, ({ choice, value }) => choice === "approve" && value !== undefined),
  ],
  ["an approval that is refused", (run) => decided(run, ({ choice }) => choice === "reject")],
  [
    "an approval by several people",
    (run) =>
      run.updates.filter(({ name }) => name === "decide").length > 1 && JSON.stringify(tools(run)).includes('"quorum"'),
  ],
  [
    "an approval that nobody gave in time",
    (run) => JSON.stringify(tools(run)).includes('"on_timeout"') && has(run, "TimerFired"),
  ],
  ["a reminder", notified("review_reminder")],
  ...OUTBOX,
  [
    "continues another run, with a message that waits",
    (run) => JSON.stringify(carried(run).reviews ?? 0).includes('"notices"'),
  ],
  ["a question to a person", (run) => list(agent(run).builtin_tools).includes("ask") && notified("review_opened")(run)],
  ["a call in other words, asked about", (run) => JSON.stringify(run.activities).includes("only the words differ")],
  [
    "a tool that a deploy made stricter",
    (run) => calls(run, "callTool", ({ input }) => input.approval !== undefined) && list(run.input.flags).length > 0,
  ],
  ["a decision as a signal", (run) => run.signals.some(({ name }) => name === "decide")],
  [
    "time that runs out while people are asked",
    (run) => failReason(run) === "mission_timeout" && notified("review_opened")(run),
  ],
  [
    "time that runs out in a model call",
    (run) =>
      failReason(run) === "mission_timeout" &&
      calls(run, "callModel", ({ end }) => end === "open" || end === "canceled"),
  ],
  [
    "time that runs out in a tool call",
    (run) =>
      failReason(run) === "mission_timeout" &&
      calls(run, "callTool", ({ end }) => end === "open" || end === "canceled"),
  ],
  ["time that runs out in a child", (run) => failReason(run) === "mission_timeout" && run.children.length > 0],
  [
    "parked, woken by a decision",
    (run) => parks(run) && run.updates.some(({ name }) => name === "recordDecision") && run.end === "completed",
  ],
  [
    "parked, woken by a signal",
    (run) => parks(run) && run.signals.some(({ name }) => name === "recordDecision") && run.end === "completed",
  ],
  ["parked, woken by its time limit", (run) => agent(run).wait_timeout_ms !== null && has(run, "TimerFired")],
  [
    "waiting is returned",
    (run) => run.input.on_waiting === "return" && record(run.result.return).status === agent(run).waiting_status,
  ],
  ["a listener hears the answer", (run) => run.input.on_chunk !== undefined && calls(run, "callModel")],
  ["cancelled while it waits", (run) => run.end === "canceled" && parks(run)],
  ["cancelled while people are asked", (run) => run.end === "canceled" && notified("review_opened")(run)],
  [
    "cancelled in a model call",
    (run) => run.end === "canceled" && calls(run, "callModel", ({ end }) => end !== "completed"),
  ],
  ["cancelled with a child", (run) => run.end === "canceled" && run.children.length > 0],
  ["fails of its own accord", (run) => failReason(run) !== undefined && run.end === "failed"],
  ["continues as new", continued],
  ["continues another run, with records", (run) => list(carried(run).records).length > 0],
  ["continues another run, with a budget", (run) => carried(run).tree_budget !== undefined],
  ["continues another run, with reviews", (run) => list(record(carried(run).reviews).reviews).length > 0],
  ["continues another run, in text", (run) => run.input.carried !== undefined && isText(run)],
  [
    "continues another run, in the middle of a reply with native calls",
    (run) => isObject(record(record(carried(run).state).open).native),
  ],
  ["continues another run after it was parked", (run) => Number(carried(run).invocation) > 1],
  ["continues another run, in the middle of a program", (run) => isObject(record(carried(run).state).open)],
  [
    "continues another run, with an open approval in the middle of a program",
    (run) => list(record(carried(run).reviews).places).length > 0,
  ],
  ["continues another run, parked", (run) => isObject(carried(run).parked)],
]);

// Plans

const options = (run: RecordedRun) => record(run.input.options);
const tasks = (run: RecordedRun) => list(record(run.input.plan).tasks).map(record);
const task = (key: string, value: Json) => (run: RecordedRun) => tasks(run).some((one) => same(one[key], value));
const childKind = (run: RecordedRun, kind: RegExp) =>
  run.events.some(
    ({ type, attributes }) =>
      type === "StartChildWorkflowExecutionInitiated" && kind.test(String(attributes.workflowId)),
  );
const properties = record(record(record(record(PLAN_SCHEMA.properties).tasks).items).properties);
const choices = (property: string) => list(record(properties[property]).enum);

const PLAN_DEFAULTS = (() => {
  const parsed = parsePlanOptions({});
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value as unknown as JsonObject;
})();

const PLANS = modes("planRun", [
  ["publishes its reviews", publishes("reviews")],
  ["begins with the reviews that an earlier run published", beginsWith("reviews")],
  [
    "continues another run, while an agent works at a task",
    (run) => list(carried(run).agents).length > 0 && carried(run).run !== null,
  ],
  ["continues another run, while it is planned", (run) => list(carried(run).agents).includes("plan/1")],
  ...Object.keys(PlanOptionsFile().shape).map(
    (option): Row => [
      `option ${option}`,
      (run) => options(run)[option] !== undefined && !same(options(run)[option], PLAN_DEFAULTS[option]),
    ],
  ),
  ...["on_failure", "on_verification_failure", "type"].flatMap((property) =>
    choices(property).map((choice): Row => [`task with ${property} ${choice}`, task(property, choice)]),
  ),
  ["task of type direct", task("type", "direct")],
  ["task that answers in text", task("output", "text")],
  ["task that answers with programs", task("output", "ptc_lisp")],
  ["task that may fail", task("critical", false)],
  [
    "a task is tried again",
    (run) =>
      has(run, "TimerFired") &&
      tasks(run).some((one) => one.on_failure === "retry" || one.on_verification_failure === "retry"),
  ],
  ["a plan that is given, without repairs", (run) => run.input.executor === false && run.end === "completed"],
  ["a plan that is given, with repairs", (run) => run.input.executor === true && run.input.plan !== null],
  ["a plan that the planner makes", (run) => run.input.plan === null && run.result.status === "ok"],
  ["no plan that can be run", (run) => run.input.plan === null && run.result.status === "error"],
  ["a repair", (run) => childKind(run, /\/repair\//) && run.result.status === "ok"],
  ["a quality gate that passes", (run) => childKind(run, /\/gate$/) && run.result.status === "ok"],
  ["a quality gate that fails", (run) => childKind(run, /\/gate$/) && run.result.status === "replan_required"],
  ["ends with an error", (run) => run.result.status === "error"],
  ["ends because it should be planned again", (run) => run.result.status === "replan_required"],
  ["ends because it waits", (run) => run.result.status === "waiting"],
  ["people decide", (run) => run.updates.some(({ name }) => name === "decide") && run.result.status === "ok"],
  ["a decision as a signal", (run) => run.signals.some(({ name }) => name === "decide")],
  [
    "several people are asked at once",
    (run) => run.activities.filter(({ name }) => name === "planDeliveries").length > 1,
  ],
  ...OUTBOX,
  ["tasks side by side", (run) => run.children.length > 1 && Number(options(run).max_concurrency) > 1],
  ["a child that was terminated", (run) => has(run, "ChildWorkflowExecutionTerminated")],
  ["cancelled while people are asked", (run) => run.end === "canceled" && calls(run, "planDeliveries")],
  ["cancelled in a task", (run) => run.end === "canceled" && has(run, "ChildWorkflowExecutionStarted")],
  ["continues as new, without repairs", (run) => continued(run) && run.input.executor === false],
  ["continues as new, with repairs", (run) => continued(run) && run.input.executor === true],
  ["continues another run, without repairs", (run) => isObject(carried(run).run)],
  ["continues another run, with repairs", (run) => isObject(carried(run).execution)],
  ["continues another run, with an open review", (run) => list(record(carried(run).reviews).places).length > 0],
  [
    "is asked people after it continued as new",
    (run) => run.input.carried !== undefined && calls(run, "planDeliveries"),
  ],
]);

// Tasks on graphs

const graphTask = (run: RecordedRun) => record(run.input.task);
const nodes = (run: RecordedRun) => Object.values(record(record(run.input.definition).nodes)).map(record);
const undoesOverEdges = (run: RecordedRun) =>
  calls(run, "undoEffect") &&
  list(record(run.input.definition).edges).some((edge) => record(edge).on_failure === "undo");
const updated = (run: RecordedRun, name: string) => run.updates.some((one) => one.name === name);
const tracked = (run: RecordedRun) => run.input.order !== undefined;
const reviewed = (run: RecordedRun, key: string) => nodes(run).some(({ review }) => record(review)[key] !== undefined);

const TASKS = modes("navigatorTask", [
  ["publishes its reviews", publishes("reviews")],
  ["begins with the reviews that an earlier run published", beginsWith("reviews")],
  ...Object.keys(NODE_TYPES).map(
    (type): Row => [`node type ${type}`, (run) => nodes(run).some((node) => node.type === type)],
  ),
  ...END_RESULTS.map((result): Row => [`ends with ${result}`, (run) => run.result.endResult === result]),
  ...ESCALATIONS.map(
    (escalation): Row => [
      `escalation ${escalation}`,
      (run) =>
        JSON.stringify(run.result).includes(`"escalation":"${escalation}"`) ||
        nodes(run).some(
          (node) => node.escalation === escalation && JSON.stringify(run.events).includes(btoa('"HITL"')),
        ),
    ],
  ),
  ["driven by agents", (run) => run.input.drive !== "external" && run.children.includes("agentRun")],
  ["driven from outside", (run) => run.input.drive === "external" && updated(run, "advance")],
  ["in the tree", tracked],
  ["not in the tree", (run) => !tracked(run)],
  ["before its workflow is loaded", (run) => run.input.definition === undefined],
  ["a claim that runs out", (run) => updated(run, "claim") && has(run, "TimerFired")],
  [
    "an agent's attempts, one after another",
    (run) => run.children.length > 1 && run.children.every((type) => type === "agentRun"),
  ],
  ["an agent that was terminated", (run) => has(run, "ChildWorkflowExecutionTerminated")],
  [
    "an agent that was given up",
    (run) => has(run, "ChildWorkflowExecutionCanceled") || has(run, "RequestCancelExternalWorkflowExecutionInitiated"),
  ],
  ["cancelled while its agent works", (run) => run.children.includes("agentRun") && updated(run, "cancelTask")],
  ["loaded again while its agent works", (run) => run.children.includes("agentRun") && updated(run, "reload")],
  ["paused while its agent works", (run) => run.children.includes("agentRun") && updated(run, "pause")],
  ["taken out of the tree while its agent works", (run) => run.children.includes("agentRun") && updated(run, "remove")],
  ["cancelled by the server", (run) => run.end === "canceled"],
  [
    "an outcome that leads nowhere",
    (run) => updated(run, "decide") && run.children.length === 1 && record(graphTask(run)).status !== "HITL",
  ],
  ["a gate for several people", (run) => reviewed(run, "quorum") && updated(run, "decide")],
  ["a gate with a default", (run) => reviewed(run, "on_timeout") && has(run, "TimerFired")],
  ["a reminder", notified("review_reminder")],
  ["a decision as a signal", (run) => run.signals.some(({ name }) => name === "decide")],
  ["a gate that somebody advances", (run) => reviewed(run, "on_timeout") && updated(run, "advance")],
  ["a person sends it back", (run) => decided(run, ({ choice }) => String(choice).startsWith("send back"))],
  ["a person closes it", (run) => decided(run, ({ choice }) => choice === "close")],
  ["an alert", notified("task_alert")],
  ...OUTBOX,
  [
    "an alert by channels and a tool",
    (run) =>
      ["webhook", "email", "tool"].every((channel) =>
        delivered(run, ({ input }) => input.channel === channel && record(input.notification).event === "task_alert"),
      ),
  ],
  ["branches", (run) => run.children.filter((type) => type === "navigatorTask").length > 1],
  ["a branch", (run) => graphTask(run).parentTaskId !== undefined && graphTask(run).branch !== undefined],
  ["a branch that is there already", (run) => has(run, "StartChildWorkflowExecutionFailed")],
  ["a join that any branch passes", (run) => nodes(run).some(({ strategy }) => strategy === "any-pass")],
  ["branches that are left behind", (run) => run.sent.includes("cancelTask")],
  ["a branch that is left behind", (run) => run.signals.some(({ name }) => name === "cancelTask")],
  ["agents in branches", (run) => graphTask(run).branch !== undefined && run.children.includes("agentRun")],
  ["a subflow", (run) => nodes(run).some(({ type }) => type === "subflow") && run.children.includes("navigatorTask")],
  ["is a subflow", (run) => graphTask(run).parentTaskId !== undefined && graphTask(run).branch === undefined],
  ["a subflow that is not loaded", (run) => calls(run, "findDefinition", ({ result }) => result === null)],
  ["subflows that are too deep", (run) => Number(run.input.depth) >= 8],
  ["an edge that undoes what was done before it", undoesOverEdges],
  ["an edge that undoes for a person", (run) => undoesOverEdges(run) && updated(run, "decide")],
  [
    "a join that undoes what its branches did",
    (run) => undoesOverEdges(run) && run.signals.some(({ argument }) => record(argument).undo_on_failure !== undefined),
  ],
  ["continues another run, with something to undo", (run) => list(carried(run).owed).length > 0],
  ["continues as new", continued],
  ["continues another run, with reviews", (run) => list(carried(run).reviews).length > 0],
  ["continues as new in a flood of signals", (run) => continued(run) && run.signals.length > 40],
  ["continues another run, while its agent works", (run) => typeof carried(run).agent === "string"],
  ["continues another run, in a fork", (run) => list(record(carried(run).book).children).length > 0],
  ["continues another run, with records", (run) => list(record(carried(run).book).syncs).length > 0],
  [
    "continues another run, with an agent's work",
    (run) => Object.keys(carried(run)).length > 0 && run.children.includes("agentRun"),
  ],
  [
    "an update that meets a worker that does not know it",
    (run) =>
      afterEvent(run, "WorkflowTaskTimedOut", "WorkflowTaskCompleted") || run.file.startsWith("task-worker-lost"),
  ],
]);

// The others

const deeds = (run: RecordedRun) => new Set(run.updates.map(({ argument }) => record(argument).deed));

const OTHERS = [
  ...modes("scheduledAgent", [
    ["starts a run", (run) => has(run, "ChildWorkflowExecutionCompleted")],
    ["finds the run of the period", (run) => has(run, "StartChildWorkflowExecutionFailed")],
    [
      "started by the server's schedule",
      (run) => JSON.stringify(run.events[0]?.attributes).includes("TemporalScheduledStartTime"),
    ],
    ["its run is terminated", (run) => has(run, "ChildWorkflowExecutionTerminated")],
    ["cancelled", (run) => run.end === "canceled"],
  ]),
  ...modes("workflowDefinition", [
    ["a version that is loaded twice", (run) => run.updates.some((one, i) => same(one, run.updates[i - 1]))],
    ["continues as new", continued],
    ["continues another run", (run) => list(run.input.versions).length > 0],
  ]),
  ...modes("undoRun", [
    ["only after a record", (run) => run.input.to !== undefined],
    ["goes on after a failure", (run) => run.input.on_failure === "continue" && run.end === "failed"],
    ["stops at a failure", (run) => run.input.on_failure === "stop" && run.end === "failed"],
    [
      "the ledger has changed",
      ({ end, events }) => end === "failed" && JSON.stringify(events).includes("stale_version"),
    ],
    ["tells a run that goes on", (run) => run.sent.includes("markUndone")],
    ["continues as new", continued],
    ["continues another run", (run) => list(carried(run).next).length > 0],
  ]),
  ...modes("effectGuard", [
    ["an effect that one mission makes again", (run) => run.updates.length > 1 && deeds(run).size === 1],
    ["an effect of several missions", (run) => deeds(run).size > 1],
    ["more claims than one run takes", continued],
    ["the state of an earlier run", (run) => run.input.state !== undefined],
    ["a signal that says nothing", (run) => run.signals.some(({ argument }) => typeof argument === "string")],
    [
      "an effect that failed",
      (run) => run.signals.some(({ argument }) => isObject(argument) && argument.state === "failed"),
    ],
  ]),
  ...modes("taskTree", [
    ["open", (run) => run.end === "open"],
    ["continues as new", continued],
    ["continues another run", (run) => Number(run.input.next) > 0],
  ]),
];

/** Started by a plain Temporal client: the workflow ends at once, with every mistake. */
const WRONG_STARTS = [
  "agentRun",
  "planRun",
  "navigatorTask",
  "scheduledAgent",
  "workflowDefinition",
  "taskTree",
].flatMap((workflow) =>
  modes(workflow, [
    [
      "a start with a wrong input",
      ({ end, events }) => end === "failed" && JSON.stringify(events.at(-1)?.attributes).includes('"invalid_input"'),
    ],
  ]),
);

export const MODES: Mode[] = [...AGENTS, ...PLANS, ...TASKS, ...OTHERS, ...WRONG_STARTS];
