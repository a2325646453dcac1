import type { Place } from "../../router";
import { ChatTab } from "./chat-tab";
import { ProgramTab } from "./program-tab";
import { PromptTab } from "./prompt-tab";
import "./playground.css";

const TABS = { program: "Program", prompt: "Prompt", chat: "Chat" } as const;

/** Try things without a mission: `/playground?tab=program`, `?tab=prompt&agent=NAME`, `?tab=chat&agent=NAME&chat=ID`. */
export function PlaygroundView({ place: { query } }: { place: Place }) {
  const tab = query.get("tab") ?? "program";
  const agent = query.get("agent") ?? "";
  return (
    <div class="playground">
      <h1>Playground</h1>
      <nav aria-label="Parts of the playground">
        <ul class="tabs">
          {Object.entries(TABS).map(([name, title]) => (
            <li key={name}>
              <a
                href={`/playground?tab=${name}${agent === "" ? "" : `&agent=${encodeURIComponent(agent)}`}`}
                aria-current={name === tab ? "page" : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {tab === "prompt" ? (
        <PromptTab agent={agent} />
      ) : tab === "chat" ? (
        <ChatTab agent={agent} chat={query.get("chat")} />
      ) : (
        <ProgramTab agent={agent} code={query.get("code")} />
      )}
    </div>
  );
}
