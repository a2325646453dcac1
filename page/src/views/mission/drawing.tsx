import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemNote } from "../../parts/problem";
import type { ShownRun } from "./run";

type Drawn = ComponentType<{ workflowId: string; changes?: number }>;

/** What draws a task on its graph, and a plan by its phases: loaded when one is shown. */
const LOADERS: { readonly [kind: string]: () => Promise<Drawn> } = {
  task: async () => (await import("../graphs/task-drawing")).TaskDrawing,
  plan: async () => (await import("../graphs/plan-progress")).PlanProgress,
};

export function Drawing({ run: { kind, workflow_id }, changes }: { run: ShownRun; changes: number }) {
  const [state, setState] = useState<{ Drawn?: Drawn; error?: unknown }>({});
  useEffect(() => {
    setState({});
    LOADERS[kind]?.().then(
      (Drawn) => setState({ Drawn }),
      (error: unknown) => setState({ error }),
    );
  }, [kind]);
  if (LOADERS[kind] === undefined) return null;
  if (state.error !== undefined) return <ProblemNote error={state.error} />;
  if (state.Drawn === undefined) return <p class="loading">Loading the drawing …</p>;
  return <state.Drawn workflowId={workflow_id} changes={changes} />;
}
