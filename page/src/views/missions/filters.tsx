import { useEffect, useState } from "preact/hooks";
import { countText, moneyText } from "../../parts/text";
import { go } from "../../router";
import { AGES, COSTS, listAddress, type MissionFilter, STATES } from "./filter";

/** The states as links with their counters. */
export function StateTabs({
  filter,
  counts,
}: {
  filter: MissionFilter;
  counts: { [state: string]: number } | undefined;
}) {
  const all = counts === undefined ? undefined : Object.values(counts).reduce((sum, n) => sum + n, 0);
  const tabs = [[undefined, "All"] as const, ...STATES];
  return (
    <nav class="state-tabs" aria-label="By state">
      {tabs.map(([state, name]) => {
        const n = state === undefined ? all : counts?.[state];
        return (
          <a
            key={name}
            href={listAddress({ ...filter, state, page: undefined })}
            aria-current={filter.state === state ? "page" : undefined}
          >
            {name} <span class="count">{n === undefined ? "…" : countText(n)}</span>
          </a>
        );
      })}
    </nav>
  );
}

/** So long nobody types before the list is asked for, in ms. */
const TYPED_MS = 300;

/** A text in the address, which is changed a moment after somebody has typed. */
function TypedField({
  id,
  label,
  value,
  placeholder,
  changed,
}: {
  id: string;
  label: string;
  value: string;
  placeholder?: string;
  changed: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes the address
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => changed(text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </div>
  );
}

/** Kind, agent, graph, age, cost and text. Each change is a change of the address. */
export function Filters({ filter }: { filter: MissionFilter }) {
  const set = (change: MissionFilter) => go(listAddress({ ...filter, ...change, page: undefined }), true);
  return (
    <search class="missions-filters" aria-label="Filter missions">
      <TypedField
        id="missions-text"
        label="Text"
        placeholder="id, agent, graph, step, issue"
        value={filter.text ?? ""}
        changed={(text) => set({ text })}
      />
      <div>
        <label for="missions-kind">Kind</label>
        <select
          id="missions-kind"
          value={filter.kind ?? ""}
          onChange={(event) => set({ kind: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="agent">missions of agents</option>
          <option value="task">tasks</option>
          <option value="plan">plans</option>
        </select>
      </div>
      <TypedField id="missions-agent" label="Agent" value={filter.agent ?? ""} changed={(agent) => set({ agent })} />
      <TypedField id="missions-graph" label="Graph" value={filter.graph ?? ""} changed={(graph) => set({ graph })} />
      <div>
        <label for="missions-age">Started</label>
        <select
          id="missions-age"
          value={filter.age ?? ""}
          onChange={(event) => set({ age: event.currentTarget.value })}
        >
          <option value="">at any time</option>
          {AGES.map(({ word, text }) => (
            <option key={word} value={word}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="missions-cost">Cost</label>
        <select
          id="missions-cost"
          value={filter.cost ?? ""}
          onChange={(event) => set({ cost: event.currentTarget.value })}
        >
          <option value="">any</option>
          {COSTS.map((cost) => (
            <option key={cost} value={cost}>
              at least {moneyText(Number(cost))}
            </option>
          ))}
        </select>
      </div>
    </search>
  );
}
