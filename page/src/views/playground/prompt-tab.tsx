import { useMemo, useState } from "preact/hooks";
import type { JsonObject } from "../../../../src/core/base/json";
import { post } from "../../api/request";
import { type ArgumentsDraft, draftOf, parametersOf } from "../../parts/arguments-draft";
import { ArgumentsForm } from "../../parts/arguments-form";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { countText, moneyText } from "../../parts/text";
import { ScrolledText } from "../mission/scrolled-text";
import { JsonField, readJsonObject } from "../start/json-field";
import { AgentChoice, type ListedAgent } from "./agent-choice";

interface Preview {
  system: string;
  user: string;
  tool_schemas: { name: string }[];
  schema: JsonObject | null;
  parts: { message: "system" | "user" | "schema"; name: string; chars: number; tokens: number }[];
  tokens: number;
  cost: number | null;
  input_problems: { path: string; message: string }[];
}

/** The prompt that an agent would get, and what is large in it. */
export function PromptTab({ agent }: { agent: string }) {
  return (
    <AgentChoice agent={agent}>
      {(chosen) =>
        chosen === undefined ? (
          <Empty title="No agent is chosen.">
            <p>Choose one to see the prompt that its model would be sent.</p>
          </Empty>
        ) : (
          <AgentPrompt key={chosen.name} agent={chosen} />
        )
      }
    </AgentChoice>
  );
}

function AgentPrompt({ agent: { name, signature } }: { agent: ListedAgent }) {
  const fields = useMemo(() => parametersOf(signature), [signature]);
  const [draft, setDraft] = useState<ArgumentsDraft>(() => draftOf(fields, {}));
  const [json, setJson] = useState("{}");
  const free = readJsonObject(json);
  const context = fields.length > 0 ? draft.value : "value" in free ? free.value : {};
  const preview = useLoaded(
    `prompt ${name} ${JSON.stringify(context)}`,
    () => post<Preview>("/api/playground/prompt", { agent: name, context }),
    { keeps: true },
  );
  return (
    <div class="two">
      <section aria-label="Input of the agent">
        {fields.length === 0 ? (
          <JsonField
            id="prompt-json"
            label="Data, as JSON"
            text={json}
            changed={setJson}
            problem={"problem" in free ? free.problem : undefined}
          />
        ) : (
          <ArgumentsForm id="prompt" fields={fields} draft={draft} changed={setDraft} />
        )}
      </section>
      <section aria-label="Prompt">
        <Show of={preview} what="the prompt">
          {(value) => <Shown preview={value} />}
        </Show>
      </section>
    </div>
  );
}

function Shown({
  preview: { parts, tokens, cost, system, user, tool_schemas, schema, input_problems },
}: {
  preview: Preview;
}) {
  const most = Math.max(1, ...parts.map((part) => part.tokens));
  return (
    <>
      <p>
        <strong>{countText(tokens)} tokens</strong>{" "}
        <span class="quiet">estimated{cost === null ? "" : `; ${moneyText(cost)} to send them once`}</span>
      </p>
      <ul class="bars" aria-label="Tokens by part">
        {parts.map(({ message, name, tokens: own }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may come twice, and the parts keep their order
          <li key={`${i} ${name}`}>
            <span>
              {name.replaceAll("_", " ")} <span class="quiet">{message}</span>
            </span>
            <span class="number">{countText(own)}</span>
            <span class="track" aria-hidden="true">
              <div class={`bar ${message}`} style={{ width: `${(100 * own) / most}%` }} />
            </span>
          </li>
        ))}
      </ul>
      {input_problems.length > 0 && (
        <div role="status">
          <p>A mission with this input would be refused:</p>
          <ul>
            {input_problems.map(({ path, message }) => (
              <li key={path}>
                <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <h2>System</h2>
      <ScrolledText label="System prompt">{system}</ScrolledText>
      <h2>User</h2>
      <ScrolledText label="First message">{user}</ScrolledText>
      {(tool_schemas.length > 0 || schema !== null) && (
        <>
          <h2>Schemas</h2>
          <ScrolledText label="Schemas">
            {JSON.stringify([...tool_schemas, ...(schema === null ? [] : [schema])], null, 2)}
          </ScrolledText>
        </>
      )}
    </>
  );
}
