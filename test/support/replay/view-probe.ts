import { type ConcludeActivationInput, proxySinks, type Sinks, workflowInfo } from "@temporalio/workflow";

/**
 * Runs inside the workflow sandbox: after every activation it tells what the workflow's own queries would answer.
 * That is what a projection of the history up to this point has to equal.
 */
export interface ViewSinks extends Sinks {
  view: {
    /** `seen`: number of events that the workflow had seen. */
    answered(seen: number, answers: { effects: unknown; rows: unknown; missionLog: unknown }): void;
  };
}

const { view } = proxySinks<ViewSinks>();

interface Activator {
  queryHandlers: Map<string, { handler(): unknown }>;
}

export const interceptors = () => ({
  internals: [
    {
      concludeActivation(input: ConcludeActivationInput, next: (input: ConcludeActivationInput) => unknown) {
        const { queryHandlers } = (globalThis as unknown as { __TEMPORAL_ACTIVATOR__: Activator })
          .__TEMPORAL_ACTIVATOR__;
        const ask = (name: string) => queryHandlers.get(name)?.handler();
        const effects = ask("effects");
        // Copied: an entry of the ledger changes in place.
        const copy = effects === undefined ? undefined : JSON.parse(JSON.stringify(effects));
        if (effects !== undefined)
          view.answered(workflowInfo().historyLength, {
            effects: copy,
            rows: ask("journal"),
            missionLog: ask("missionLog"),
          });
        return next(input);
      },
    },
  ],
});
