import { useEffect, useRef, useState } from "preact/hooks";
import type { CostRow } from "../../../../src/client/costs/cost-report";
import { moneyText } from "../../parts/text";
import { type CostRange, dayStart, daysOf } from "./range";

const HEIGHT = 220;

/** What each day cost, as bars. The table below it has the same in words. */
export function DayChart({ rows, range }: { rows: readonly CostRow[]; range: CostRange }) {
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const byDay = new Map(rows.map((row) => [row.key, row.cost]));
  const days = daysOf(range);
  const costs = days.map((day) => byDay.get(day) ?? 0);
  const key = JSON.stringify(costs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew when the numbers are others
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let isGone = false;
    let remove = () => {};
    // Most views draw no chart.
    Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]).then(
      ([{ default: UPlot }]) => {
        if (isGone) return;
        // A canvas knows no `light-dark(...)`: as the colour of an element, it is one of the two.
        const colour = (name: string) => {
          element.style.color = `var(${name})`;
          const { color } = getComputedStyle(element);
          element.style.color = "";
          return color;
        };
        const axis = {
          stroke: colour("--quiet"),
          grid: { stroke: colour("--line"), width: 1 },
          ticks: { show: false },
        };
        const width = () => Math.max(240, element.clientWidth);
        const chart = new UPlot(
          {
            width: width(),
            height: HEIGHT,
            legend: { show: false },
            cursor: { show: false },
            scales: { x: { time: true }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
            axes: [axis, { ...axis, size: 70, values: (_, splits) => splits.map(moneyText) }],
            series: [
              {},
              {
                stroke: colour("--accent"),
                fill: colour("--accent"),
                width: 0,
                points: { show: false },
                paths: UPlot.paths.bars?.({ size: [0.7, 60] }),
              },
            ],
          },
          [days.map((day) => (dayStart(day) ?? 0) / 1_000), costs],
          element,
        );
        const resized = new ResizeObserver(() => chart.setSize({ width: width(), height: HEIGHT }));
        resized.observe(element);
        remove = () => {
          resized.disconnect();
          chart.destroy();
        };
      },
      () => setFailed(true),
    );
    return () => {
      isGone = true;
      remove();
    };
  }, [key, range.from]);
  if (failed) return null;
  const most = Math.max(0, ...costs);
  const dearest = days[costs.indexOf(most)];
  return (
    <div
      class="chart"
      ref={place}
      role="img"
      aria-label={`Cost by day. The dearest day is ${dearest} with ${moneyText(most)}. The table has all days.`}
    />
  );
}
