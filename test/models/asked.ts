import type { ModelCall } from "../../src/models";

/** A text agent's call, as an activity makes it. */
export const asked = (more: Partial<ModelCall> = {}): ModelCall => ({
  model: "ignored",
  agent: "clerk",
  turn: 1,
  call: 1,
  attempt: 1,
  system: "You answer.",
  messages: [{ role: "user", content: "Tell me a tale." }],
  output: "text",
  tool_names: [],
  ...more,
});
