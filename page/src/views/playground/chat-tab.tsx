import { useEffect, useState } from "preact/hooks";
import type { ChatMessage } from "../../../../src/client/chat/chat-log";
import { Transcript } from "../../../../src/core/history/stream/transcript";
import { followEvents } from "../../api/follow-events";
import { get, post } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty, ProblemNote } from "../../parts/problem";
import { missionAddress, setQuery } from "../../router";
import { AgentChoice } from "./agent-choice";

/** A chat with an agent in text mode. It is kept in missions, so its address shows it again. */
export function ChatTab({ agent, chat }: { agent: string; chat: string | null }) {
  return (
    <AgentChoice agent={agent}>
      {(chosen) =>
        chosen === undefined ? (
          <Empty title="No agent is chosen.">
            <p>Choose the agent to talk to. It answers in plain text, with its tools.</p>
          </Empty>
        ) : (
          <Talk key={`${chosen.name} ${chat}`} agent={chosen.name} chat={chat} />
        )
      }
    </AgentChoice>
  );
}

function Talk({ agent, chat }: { agent: string; chat: string | null }) {
  const [text, setText] = useState("");
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const [id] = useState(() => chat ?? crypto.randomUUID());
  const messages = useLoaded(`chat ${id}`, (signal) =>
    chat === null
      ? Promise.resolve({ messages: [] })
      : get<{ messages: ChatMessage[] }>(`/api/chats/${encodeURIComponent(id)}`, {}, signal),
  );
  const all = messages.value?.messages ?? [];
  const isAnswering = all.some((one) => one.state === "running");
  const canSend = text.trim() !== "" && !state.isBusy && !isAnswering && messages.value !== undefined;
  const send = async () => {
    if (!canSend) return;
    setState({ isBusy: true });
    try {
      const path = `/api/chats/${encodeURIComponent(id)}/messages`;
      await post(path, { agent, message: text, after: all.at(-1)?.number ?? 0 });
      setText("");
      setState({});
      if (chat === null) setQuery({ chat: id });
      else messages.again();
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <>
      <Show of={messages} what="the chat">
        {() => (
          <ol class="talk" aria-label="Conversation">
            {all.map((one) => (
              <ShownMessage key={one.number} message={one} over={messages.again} />
            ))}
          </ol>
        )}
      </Show>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div class="field">
          <label for="chat-text">Message to {agent}</label>
          <textarea
            id="chat-text"
            rows={3}
            value={text}
            aria-describedby="chat-text-note"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void send();
            }}
          />
          <p class="note" id="chat-text-note">
            {isAnswering ? `${agent} is answering.` : "Ctrl and Enter send it."}
          </p>
        </div>
        <p class="row">
          <button type="submit" class="main" disabled={!canSend}>
            {state.isBusy ? "Sending …" : "Send"}
          </button>
          {chat !== null && (
            <button type="button" onClick={() => setQuery({ chat: undefined })}>
              Begin a new chat
            </button>
          )}
        </p>
      </form>
    </>
  );
}

function ShownMessage({ message: one, over }: { message: ChatMessage; over: () => void }) {
  const mission = <a href={missionAddress(one.workflow_id)}>its mission</a>;
  return (
    <>
      <li class="message">
        <p>{one.message ?? "(The message is not known any more.)"}</p>
      </li>
      <li>
        {one.state === "running" ? (
          <Streaming workflowId={one.workflow_id} over={over} />
        ) : one.state === "answered" ? (
          <p>{one.answer}</p>
        ) : (
          <p>
            No answer: {one.fail?.message} <code>{one.fail?.reason}</code>
          </p>
        )}
        <p class="quiet">See {mission}.</p>
      </li>
    </>
  );
}

/** The answer as it comes. */
function Streaming({ workflowId, over }: { workflowId: string; over: () => void }) {
  const [text, setText] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `over` is another function each time
  useEffect(() => {
    const transcript = new Transcript();
    return followEvents(workflowId, {
      text: (entries) => {
        for (const entry of entries) transcript.add(entry);
        const own = transcript.calls().filter((call) => call.workflow_id === workflowId);
        setText(own.at(-1)?.text ?? "");
      },
      over,
    });
  }, [workflowId]);
  return <p aria-live="polite">{text === "" ? "Thinking …" : text}</p>;
}
