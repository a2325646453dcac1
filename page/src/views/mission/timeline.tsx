import { endIn } from "../../../../src/core/history/read/timeline-entry";
import type { MissionTree } from "../../api/types";
import { Empty } from "../../parts/problem";
import { durationText, Time, useNow } from "../../parts/text";
import { missionAddress } from "../../router";
import type { ShownRun } from "./run";
import { type Bar, TIME_USES, type TimeUse, waterfallOf } from "./waterfall";

const WORDS: { readonly [use in TimeUse]: string } = {
  model: "model",
  tools: "tools",
  agents: "runs below",
  waiting: "waiting",
  engine: "engine",
};
/** Lines of one run at first. */
const MAX_BARS = 200;

/** What took how long, in the run and in each below it. */
export function Timeline({ run }: { run: ShownRun }) {
  return (
    <section aria-label="Timeline">
      <Waterfall of={run} isOver={run.closed_at !== undefined} isWaiting={run.state === "waiting"} title={null} />
      {below(run).map((child) => (
        <Waterfall
          key={child.workflow_id}
          of={child}
          isOver={endIn(child.projection.timeline) !== undefined}
          isWaiting={false}
          title={child.workflow_id}
        />
      ))}
    </section>
  );
}

const below = ({ children }: MissionTree): MissionTree[] => children.flatMap((child) => [child, ...below(child)]);

function Waterfall({
  of,
  isOver,
  isWaiting,
  title,
}: {
  of: MissionTree;
  isOver: boolean;
  isWaiting: boolean;
  title: string | null;
}) {
  const now = useNow(!isOver);
  const { from, until, bars, totals } = waterfallOf(of.projection.timeline, now, isWaiting);
  if (of.projection.timeline.length === 0) return title === null ? <Empty title="Nothing has happened yet." /> : null;
  const part = (ms: number) => `${(100 * ms) / (until - from)}%`;
  return (
    <>
      {title !== null && (
        <h2>
          <a href={missionAddress(title)}>{title}</a>
        </h2>
      )}
      <p>
        <Time at={from} /> and {durationText(until - from)}:{" "}
        {TIME_USES.filter((use) => totals[use] > 0).map((use, i) => (
          <span key={use}>
            {i > 0 && ", "}
            <span class={`swatch use-${use}`} aria-hidden="true" /> {WORDS[use]} {durationText(totals[use])}
          </span>
        ))}
      </p>
      <ol class="waterfall">
        {bars.slice(0, MAX_BARS).map((bar, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what happened does not move
          <BarLine key={i} bar={bar} start={from} until={until} part={part} />
        ))}
      </ol>
      {bars.length > MAX_BARS && <p class="quiet">{bars.length - MAX_BARS} later ones are not drawn.</p>}
      <details>
        <summary>All events as they came</summary>
        <table class="table events">
          <thead>
            <tr>
              <th>At</th>
              <th>Kind</th>
              <th>What</th>
              <th class="number">Took</th>
            </tr>
          </thead>
          <tbody>
            {of.projection.timeline.map(({ at, kind, text, duration_ms, outcome, attempts }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: what happened does not move
              <tr key={i}>
                <td>
                  <Time at={at} />
                </td>
                <td>{kind}</td>
                <td>
                  {text} {outcome === "failed" && <span class="state state-failed">failed</span>}
                  {attempts !== undefined && <span class="quiet"> attempt {attempts}</span>}
                </td>
                <td class="number">{duration_ms === undefined ? "" : durationText(duration_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function BarLine({
  bar,
  start,
  until,
  part,
}: {
  bar: Bar;
  start: number;
  until: number;
  part: (ms: number) => string;
}) {
  const { use, text, from, outcome, attempts } = bar;
  const ends = bar.until ?? until;
  const notes = [
    bar.until === undefined ? "not over" : durationText(ends - from),
    outcome === "failed" ? "failed" : "",
    attempts === undefined ? "" : `attempt ${attempts}`,
  ].filter((note) => note !== "");
  return (
    <li>
      <span class="what">
        <span class="visually-hidden">{WORDS[use]}: </span>
        {text} <span class="quiet">{notes.join(", ")}</span>
      </span>
      <span class="waterfall-track" aria-hidden="true">
        <span
          class={`waterfall-bar use-${use}${outcome === "failed" ? " waterfall-failed" : ""}`}
          style={{ marginLeft: part(from - start), width: part(Math.max(ends - from, 0)) }}
        />
      </span>
    </li>
  );
}
