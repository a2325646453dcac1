import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createElement as h, useEffect } from "react";
import { createRoot } from "react-dom/client";

/** A front as people write it with the AI SDK: nothing in it knows of Navigator, but that what was retried is struck out. */

const agent = new URLSearchParams(location.search).get("agent");
const kept = `chat-${agent}`;

function Part({ part, answer }) {
  if (part.type === "text")
    return part.providerMetadata?.navigator?.retried ? h("del", null, part.text) : h("p", null, part.text);
  if (part.type === "reasoning") return h("pre", null, part.text);
  if (part.type !== "dynamic-tool") return null;
  const button = (label, approved) =>
    h("button", { type: "button", onClick: () => answer({ id: part.approval.id, approved }) }, label);
  return h(
    "section",
    { "data-state": part.state },
    `${part.toolName} ${JSON.stringify(part.input)} ${JSON.stringify(part.output ?? null)}`,
    part.state === "approval-requested" ? [button("Approve", true), button("Reject", false)] : null,
  );
}

function App() {
  const { messages, sendMessage, status, addToolApprovalResponse, error } = useChat({
    id: sessionStorage.getItem(`${kept}-id`) ?? undefined,
    messages: JSON.parse(sessionStorage.getItem(kept) ?? "[]"),
    resume: sessionStorage.getItem(kept) !== null,
    transport: new DefaultChatTransport({ api: `/api/chat/${agent}` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useEffect(() => {
    if (messages.length > 0) sessionStorage.setItem(kept, JSON.stringify(messages));
  }, [messages]);
  const say = (event) => {
    event.preventDefault();
    const input = event.target.elements.text;
    sendMessage({ text: input.value });
    input.value = "";
  };
  return h(
    "main",
    { "data-status": status },
    messages.map((message) =>
      h(
        "article",
        { key: message.id, "data-role": message.role },
        message.parts.map((part, i) => h(Part, { key: i, part, answer: addToolApprovalResponse })),
      ),
    ),
    error ? h("strong", null, error.message) : null,
    h(
      "form",
      { onSubmit: say },
      h("input", { name: "text", "aria-label": "Message" }),
      h("button", { type: "submit" }, "Send"),
    ),
  );
}

// A front keeps the id of its chat where it keeps its messages.
if (sessionStorage.getItem(`${kept}-id`) === null) sessionStorage.setItem(`${kept}-id`, crypto.randomUUID());
createRoot(document.body.appendChild(document.createElement("div"))).render(h(App));
