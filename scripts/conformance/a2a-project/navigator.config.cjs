// The agents that the compatibility kit of A2A talks to: one for each behaviour that it asks of an agent.
const fenced = (program) => `\`\`\`clojure\n${program}\n\`\`\``;
const says = (prompt) => ({ prompt, max_turns: 1 });

/** Asks until it is told to complete. */
const ASKING = `
(loop [answer ""]
  (if (re-find #"(?i)complete|follow-up for history" answer)
    (return "Hello from TCK")
    (recur (:value (tool/ask-person {:question "What next?" :choices ["answer"]})))))`;

module.exports = {
  project: "a2a-conformance",
  agents: [
    { name: "complete", description: "Completes the task", ...says("Complete.") },
    { name: "artifact-text", description: "Gives a text", ...says("Give a text.") },
    { name: "artifact-data", description: "Gives data", ...says("Give data.") },
    {
      name: "input-required",
      description: "Asks for input",
      ...says("Ask."),
      builtin_tools: ["ask"],
    },
  ],
  script: {
    complete: [fenced('(return "Hello from TCK")')],
    "artifact-text": [fenced('(return "Generated text content")')],
    "artifact-data": [fenced('(return {:key "value" :count 42})')],
    "input-required": [fenced(ASKING)],
  },
};
