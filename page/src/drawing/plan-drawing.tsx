import { useState } from "preact/hooks";
import type { PhaseStep, PlanProgress } from "../../../src/client/runs/plan-progress";
import { DrawingFrame, isNarrow } from "./frame";
import { arrowOf, cutLabel, type Direction, type Point, pathOf } from "./layout";

/** A plan by phases: each is a column (a row on a phone) of steps that may run side by side, with what they depend on. */

const WIDTH = 196;
const HEIGHT = 58;
const GAP = 18;
const BETWEEN = 64;
const MARGIN = 16;
const HEAD = 22;

interface PlacedStep {
  step: PhaseStep;
  /** Of its upper left corner. */
  x: number;
  y: number;
}

interface PlanLayout {
  width: number;
  height: number;
  steps: PlacedStep[];
  bands: { x: number; y: number; width: number; height: number }[];
}

/** Steps have their places by phase and order alone: what happens does not move them. */
export function planLayout(phases: readonly (readonly PhaseStep[])[], direction: Direction): PlanLayout {
  const most = Math.max(1, ...phases.map((phase) => phase.length));
  const isAcross = direction === "across";
  const size = (n: number, one: number) => n * one + (n - 1) * GAP;
  const across = isAcross ? WIDTH + BETWEEN : 0;
  const down = isAcross ? 0 : HEIGHT + BETWEEN;
  const space = isAcross ? size(most, HEIGHT) : size(most, WIDTH);
  const bands = phases.map((_, i) =>
    isAcross
      ? { x: MARGIN + i * across - 10, y: MARGIN - 6, width: WIDTH + 20, height: space + HEAD + 20 }
      : { x: MARGIN - 10, y: MARGIN + i * down - 6, width: space + 20, height: HEIGHT + HEAD + 20 },
  );
  const steps = phases.flatMap((phase, i) => {
    const start = (space - size(phase.length, isAcross ? HEIGHT : WIDTH)) / 2;
    return phase.map((step, at): PlacedStep => {
      const shift = start + at * ((isAcross ? HEIGHT : WIDTH) + GAP);
      return isAcross
        ? { step, x: MARGIN + i * across, y: MARGIN + HEAD + shift }
        : { step, x: MARGIN + shift, y: MARGIN + HEAD + i * down };
    });
  });
  return {
    width: Math.max(...bands.map(({ x, width }) => x + width), 0) + MARGIN,
    height: Math.max(...bands.map(({ y, height }) => y + height), 0) + MARGIN,
    steps,
    bands,
  };
}

const MARKS: { readonly [state in PhaseStep["state"]]: string } = {
  pending: "·",
  running: "▶",
  waiting: "?",
  ok: "✓",
  failed: "✗",
  skipped: "–",
};
const KINDS: { readonly [state in PhaseStep["state"]]: string } = {
  pending: "idle",
  running: "here",
  waiting: "asks",
  ok: "was",
  failed: "broken",
  skipped: "idle",
};
const WORDS: { readonly [state in PhaseStep["state"]]: string } = {
  pending: "not begun",
  running: "runs",
  waiting: "waits for a person",
  ok: "done",
  failed: "failed",
  skipped: "skipped",
};

export function PlanDrawing({ plan, title }: { plan: PlanProgress; title: string }) {
  const [direction] = useState(() => (isNarrow() ? ("down" as const) : ("across" as const)));
  const { phases } = plan;
  const { width, height, steps, bands } = planLayout(phases, direction);
  const placed = new Map(steps.map((one) => [one.step.id, one]));
  return (
    <>
      <DrawingFrame title={title} about={aboutPlan(plan)} width={width} height={height}>
        {bands.map((band, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a phase is its number
          <g key={i}>
            <rect class="phase-band" {...band} rx={10} />
            <text
              class={direction === "down" ? "phase-name at-start" : "phase-name"}
              x={direction === "down" ? band.x + 10 : band.x + band.width / 2}
              y={band.y + 17}
            >
              Phase {i + 1}
            </text>
          </g>
        ))}
        {steps.flatMap(({ step, x, y }) =>
          step.depends_on.flatMap((id) => {
            const from = placed.get(id);
            if (from === undefined) return [];
            const points = arrowPoints(from, { step, x, y }, direction);
            const isDone = from.step.state === "ok";
            return (
              <g key={`${id} ${step.id}`} class={isDone ? "edge taken" : "edge"} data-from={id} data-to={step.id}>
                <path class="edge-line" d={pathOf(points)} />
                <polygon class="edge-head" points={arrowOf(points)} />
              </g>
            );
          }),
        )}
        {steps.map(({ step, x, y }) => (
          <g
            key={step.id}
            class={`node ${KINDS[step.state]}${step.type === "human_review" ? " color-gate" : ""}`}
            transform={`translate(${x} ${y})`}
            data-step={step.id}
            data-state={step.state}
          >
            <rect class="node-shape" width={WIDTH} height={HEIGHT} rx={step.type === "human_review" ? 22 : 8} />
            {step.critical && (
              <rect
                class="node-inner"
                x={4}
                y={4}
                width={WIDTH - 8}
                height={HEIGHT - 8}
                rx={step.type === "human_review" ? 18 : 5}
              />
            )}
            <text class="node-mark" x={18} y={34}>
              {MARKS[step.state]}
            </text>
            <text class="node-name" x={WIDTH / 2 + 6} y={26}>
              {cutLabel(step.id, 21)}
            </text>
            <text class="node-about" x={WIDTH / 2 + 6} y={43}>
              {cutLabel(aboutStep(step), 26)}
            </text>
          </g>
        ))}
      </DrawingFrame>
      <p class="quiet">A double border: the plan fails if the step fails.</p>
    </>
  );
}

/** What a step is, in short. */
function aboutStep({ type, agent, attempts, max_retries }: PhaseStep): string {
  const what = type === "human_review" ? "a person decides" : type === "direct" ? "a program" : agent || "an agent";
  return attempts > 1 ? `${what} · attempt ${attempts} of ${max_retries + 1}` : what;
}

/** How a plan stands, as a sentence. */
export function aboutPlan({ phases, state }: PlanProgress): string {
  const all = phases.flat();
  const now = all.filter((step) => step.state === "running" || step.state === "waiting" || step.state === "failed");
  const done = all.filter((step) => step.state === "ok").length;
  const words = now.map((step) => `${step.id} ${WORDS[step.state]}`);
  return `The plan is ${state}: ${done} of ${all.length} steps are done${words.length === 0 ? "" : `; ${words.join(", ")}`}.`;
}

/** The state of a step in words. */
export const stepWords = (step: PhaseStep): string => WORDS[step.state];

function arrowPoints(from: PlacedStep, to: PlacedStep, direction: Direction): Point[] {
  if (direction === "across") {
    const start = { x: from.x + WIDTH, y: from.y + HEIGHT / 2 };
    const end = { x: to.x - 2, y: to.y + HEIGHT / 2 };
    const bend = Math.min(30, (end.x - start.x) / 2);
    return [start, { x: start.x + bend, y: start.y }, { x: end.x - bend, y: end.y }, end];
  }
  const start = { x: from.x + WIDTH / 2, y: from.y + HEIGHT };
  const end = { x: to.x + WIDTH / 2, y: to.y - 2 };
  const bend = Math.min(24, (end.y - start.y) / 2);
  return [start, { x: start.x, y: start.y + bend }, { x: end.x, y: end.y - bend }, end];
}
