import { get } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { setQuery } from "../../router";

/** An agent in the list of agents. */
export interface ListedAgent {
  name: string;
  signature?: string;
  output: "ptc_lisp" | "text";
  description?: string;
}

/** Which agent; the choice stands in the address. @param none what no choice means */
export function AgentChoice({
  agent,
  none,
  children,
}: {
  agent: string;
  none?: string;
  /** What is shown for the chosen agent; undefined where none is. */
  children?: (agent: ListedAgent | undefined) => preact.ComponentChildren;
}) {
  const agents = useLoaded("agents", (signal) => get<{ agents: ListedAgent[] }>("/api/agents", {}, signal));
  return (
    <Show of={agents} what="the agents">
      {({ agents: all }) =>
        all.length === 0 && none === undefined ? (
          <Empty title="The project has no agents.">
            <p>They stand in its folder of agents: see `agents` in navigator.config.</p>
          </Empty>
        ) : (
          <>
            <div class="field">
              <label for="playground-agent">Agent</label>
              <select
                id="playground-agent"
                value={agent}
                onChange={(event) => setQuery({ agent: event.currentTarget.value })}
              >
                <option value="">{none ?? "Choose one"}</option>
                {all.map(({ name, description }) => (
                  <option key={name} value={name}>
                    {name}
                    {description ? `: ${description}` : ""}
                  </option>
                ))}
              </select>
            </div>
            {children?.(all.find(({ name }) => name === agent))}
          </>
        )
      }
    </Show>
  );
}
