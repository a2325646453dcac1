import type { MetricMeter } from "@temporalio/common";
import type { PlainSpan } from "../../../src/core/history/spans/plain-span";
import { CallMetrics } from "../../../src/node/telemetry/call-metrics";

/** The labels with which each metric was recorded. */
function recording() {
  const series = new Map<string, string[]>();
  const recorder = (name: string) => {
    const recorded: string[] = [];
    series.set(name, recorded);
    const record = (_: number, tags: object) => void recorded.push(JSON.stringify(tags));
    return { add: record, record, set: record };
  };
  const meter = { createCounter: recorder, createHistogram: recorder, createGauge: recorder } as unknown as MetricMeter;
  return { metrics: new CallMetrics(meter, false), seriesOf: (name: string) => series.get(name) ?? [] };
}

const ended = (name: string, outcome?: string): PlainSpan => ({
  trace_id: "1".repeat(32),
  span_id: "1".repeat(16),
  sampling: "open",
  name: `invoke_agent ${name}`,
  kind: "internal",
  attributes: { "navigator.workflow.type": "agentRun" },
  ...(outcome === undefined ? {} : { error: { type: outcome } }),
  start_ms: 0,
  end_ms: 1,
});

test("however many names and outcomes there are, a metric has 500 series, and one for each outcome of all other names", () => {
  const { metrics, seriesOf } = recording();
  for (let name = 0; name < 150; name++)
    for (let outcome = 0; outcome < 150; outcome++) metrics.ended(ended(`a${name}`, `o${outcome}`));
  const runs = seriesOf("navigator_runs");
  expect(runs).toHaveLength(150 * 150);
  expect(new Set(runs).size).toBe(500 + 101);
  expect(runs.at(-1)).toBe('{"kind":"agent","name":"other","outcome":"other"}');
  // What was there first is still counted under its own name.
  metrics.ended(ended("a0", "o0"));
  expect(seriesOf("navigator_runs").at(-1)).toBe('{"kind":"agent","name":"a0","outcome":"o0"}');
  // A success never looks like a failure.
  metrics.ended(ended("late"));
  expect(seriesOf("navigator_runs").at(-1)).toBe('{"kind":"agent","name":"other","outcome":"ok"}');
});

test("one label has 100 values of its own, and the others of the series stay", () => {
  const { metrics, seriesOf } = recording();
  for (let name = 0; name < 150; name++) metrics.ended(ended(`a${name}`, "failed"));
  const runs = seriesOf("navigator_runs");
  expect(new Set(runs).size).toBe(101);
  expect(runs.at(-1)).toBe('{"kind":"agent","name":"other","outcome":"failed"}');
});
