import { readHistory, startedIn } from "../../../../src/core/history/read/history";
import { traceTree } from "../../../../src/core/history/trace/analyse";
import { type TraceLine, traceText } from "../../../../src/core/history/trace/line";
import { loadTrace } from "../../../../src/core/history/trace/load";
import { missionLogs } from "../../../../src/core/history/trace/mission-logs";
import { shownSpans } from "../../../../src/core/history/trace/span-of-lines";
import { readRecorded, recordedFiles } from "../../../support/recorded";
import { sized } from "../../../support/run/property";

/** Traces of recorded runs: whatever the history, they hold together, and tell every call that it has. */
const files = recordedFiles();
const recorded: (file: string) => { events: unknown[] } = readRecorded;
const alone = (history: unknown) => missionLogs({ workflow_id: "any", runs: [history], children: [] });
const linesOf = (history: unknown): TraceLine[] => alone(history).flatMap(({ lines }) => lines);

/** What an event is, for readers: its type, and which activity, signal or marker. */
function kindOf(event: unknown): string {
  const { eventType, ...rest } = event as { eventType: string; [key: string]: unknown };
  const attributes = Object.entries(rest).find(([name]) => name.endsWith("EventAttributes"))?.[1] as
    | { activityType?: { name: string }; signalName?: string; markerName?: string }
    | undefined;
  const { activityType, signalName, markerName } = attributes ?? {};
  return `${eventType} ${activityType?.name ?? signalName ?? markerName ?? ""}`;
}

const cutBefore = new Set<string>();

/**
 * After how many events a history is cut: in `npm test` between each two kinds of events that no history before this one was cut
 * between, in the deep run after every event.
 */
function cutsOf({ events }: { events: unknown[] }): number[] {
  const isNew = (at: number): boolean => {
    const place = events.slice(at - 1, at + 1).map(kindOf);
    const known = cutBefore.has(place.join());
    cutBefore.add(place.join());
    return !known;
  };
  const lengths = events.slice(1).map((_, index) => index + 1);
  return sized(lengths.filter(isNew), lengths);
}

test("histories are cut between many kinds of events", () => expect(cutBefore.size).toBeGreaterThan(200));

describe.each(files)("%s", (file) => {
  const history = recorded(file);
  const cuts = cutsOf(history);
  const lines = linesOf(history);
  const spans = shownSpans(lines);

  test("its lines pass the loader, ordered by time", () => {
    expect(loadTrace(traceText(lines))).toEqual(lines);
    const times = lines.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    expect(lines[0]?.event).toBe("trace.start");
  });

  test("every span has a unique id, and lies within its parent", () => {
    const byId = new Map(spans.map((span) => [span.span_id, span]));
    expect(byId.size).toBe(spans.length);
    expect(lines.filter(({ event }) => event.endsWith(".stop") && event !== "trace.stop")).toHaveLength(
      spans.filter(({ status }) => status !== "open").length,
    );
    const end = ({ at, stop }: (typeof spans)[number]) => (stop === undefined ? at : Date.parse(stop.timestamp));
    for (const span of spans) {
      expect(span.span_id).toMatch(/^[0-9a-f]{8}$/);
      expect(span.start).toBeDefined();
      if (span.kind === "run") continue;
      const parent = byId.get(span.parent_span_id as string);
      expect(parent?.at).toBeLessThanOrEqual(span.at);
      if (parent?.stop !== undefined) expect(end(parent)).toBeGreaterThanOrEqual(end(span));
    }
  });

  test("the same history gives the same trace", () => expect(linesOf(history)).toEqual(lines));

  test("every activity of an agent's run appears once", () => {
    const facts = readHistory(history);
    const isAgent = startedIn(history)?.workflow_type === "agentRun";
    const asked = (name: string) =>
      facts.filter((fact) => fact.kind === "activity_scheduled" && fact.activity === name).length;
    expect(spans.filter(({ kind }) => kind === "llm")).toHaveLength(isAgent ? asked("callModel") : 0);
    // Others appear as well: local reads, and the calls of a call sequence. So each is looked for by its key and its time.
    const callOf = (key: unknown, at: number) => `${key} at ${at}`;
    const calls = facts.flatMap((fact) => {
      const isCall = fact.kind === "activity_scheduled" && fact.activity === "callTool";
      return isAgent && isCall ? [callOf(fact.input?.idempotency_key, fact.at)] : [];
    });
    const shown = lines
      .filter(({ event }) => event === "tool.start")
      .map(({ metadata, timestamp }) => callOf(metadata.idempotency_key, Date.parse(timestamp)));
    expect(shown.filter((call) => calls.includes(call)).sort()).toEqual(calls.sort());
    const ended = facts.some(({ kind }) => kind === "ended");
    expect(lines.at(-1)?.event === "trace.stop").toBe(ended);
    if (ended) expect(spans.filter(({ status }) => status === "open")).toEqual([]);
  });

  test("a history that is cut after an event gives a trace, too", () => {
    for (const length of cuts) {
      const cut = linesOf({ events: history.events.slice(0, length) });
      expect(loadTrace(traceText(cut))).toEqual(cut);
      expect(shownSpans(cut).length).toBeLessThanOrEqual(spans.length);
    }
  });
});

/** The tree as kind and name, failures marked. */
type Told = [string, ...Told[]];
const told = (lines: TraceLine[]): Told[] => {
  const of = (node: ReturnType<typeof traceTree>[number]): Told => [
    `${node.kind} ${node.name}${node.status === "ok" ? "" : ` (${node.status})`}`,
    ...node.children.map(of),
  ];
  return traceTree(lines).map(of);
};

test("calls of a parallel section are inside it", () => {
  const lines = linesOf(recorded("pmap.json"));
  const charge: Told = ["tool charge_card"];
  expect(told(lines)).toEqual([
    ["run order", ["turn turn 1", ["llm scripted"], ["pmap pmap", ...Array<Told>(12).fill(charge)]]],
  ]);
  const stop = lines.find(({ event }) => event === "pmap.stop");
  expect(stop?.measurements).toEqual({ count: 12, success_count: 12, error_count: 0 });
});

test("a mission that a decision woke has its turns again, in a second invocation", () => {
  const lines = linesOf(recorded("decided.json"));
  const turns = lines.filter(({ event }) => event === "turn.start").map(({ metadata }) => metadata);
  expect(turns.map(({ turn, invocation }) => [turn, invocation])).toEqual([
    [1, undefined],
    [1, 2],
  ]);
  expect(told(lines)).toEqual([
    ["run order", ["turn turn 1", ["llm scripted"], ["tool charge_card"]], ["turn turn 1", ["llm scripted"]]],
  ]);
});

test("local reads, of which a history has only the result, get names, arguments and times from the Step", () => {
  const lines = linesOf(recorded("reads.json"));
  const starts = lines.filter(({ event }) => event === "tool.start");
  expect(starts.map(({ metadata }) => metadata)).toEqual(
    [0, 1, 2, 3].map((id) => ({
      tool_name: "look",
      args: { id },
      task: `look_${id}`,
      idempotency_key: expect.stringMatching(new RegExp(`~1\\.${id + 1}$`)),
    })),
  );
  const stops = lines.filter(({ event }) => event === "tool.stop");
  expect(stops.map(({ metadata, duration_ms }) => [metadata.result, typeof duration_ms])).toEqual(
    Array(4).fill([{ stock: 3 }, "number"]),
  );
});

test("failed turns have a reason, with prompt and reply", () => {
  const lines = linesOf(recorded("failed-turns.json"));
  const turns = lines.filter(({ event }) => event === "turn.stop").map(({ metadata }) => metadata);
  expect(turns.map(({ success }) => success)).toEqual(expect.arrayContaining([false, true]));
  expect(JSON.stringify(turns.find(({ success }) => success === false))).toContain("reason");
  const asked = lines.filter(({ event }) => event === "llm.start");
  // Each turn adds the reply and what it came to. The first has recorded a task, which a message of its own says.
  expect(asked.map(({ measurements }) => measurements.messages)).toEqual(
    asked.map((_, index) => (index === 0 ? 1 : 2 + 2 * index)),
  );
  expect(asked.map(({ metadata }) => typeof metadata.system_prompt)).toEqual([
    "string",
    ...Array(asked.length - 1).fill("undefined"),
  ]);
  const said = lines.filter(({ event }) => event === "llm.stop").map(({ metadata }) => metadata.response);
  expect(said.every((text) => typeof text === "string" && text.includes("```"))).toBe(true);
});

test("a task's agents have their own logs, below the task's", () => {
  const [task, ...agents] = ["order-closed", "order-closed-2", "order-closed-3", "order-closed-4"].map((name) =>
    recorded(`${name}.json`),
  );
  const idOf = (history: { events: unknown[] }) => startedIn(history)?.workflow_id as string;
  const logs = missionLogs({
    workflow_id: "task",
    runs: [task],
    children: agents.map((history) => ({ workflow_id: idOf(history), runs: [history], children: [] })),
  });
  const [own, ...nested] = logs;
  expect(nested.map(({ lines }) => lines[0]?.metadata.parent_trace_id)).toEqual(Array(3).fill(own?.trace_id));
  expect(new Set(logs.map(({ trace_id }) => trace_id)).size).toBe(4);
  const [tree, ...others] = traceTree(logs.flatMap(({ lines }) => lines));
  expect(others).toEqual([]);
  expect(tree).toMatchObject({ kind: "run", name: "navigatorTask" });
  expect(tree?.children.map(({ kind }) => kind)).toEqual(["run", "run", "run"]);
});
