// Tools that do something outside: the tests count it, and kill the worker in the middle of it.
const { defineTool } = require("navigator-agents");

const remote = (name, effect) =>
  defineTool({
    name,
    effect,
    signature: "(kind :string, n :int) -> :int",
    run: async (args, call) => {
      const response = await fetch(`${process.env.SERVICE_URL}/${args.kind}`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": call.idempotencyKey },
        body: JSON.stringify(args),
        signal: call.signal,
      });
      return response.json();
    },
  });

module.exports = {
  agents: [],
  script: process.env.SCRIPT ?? "./script.yaml",
  tools: [remote("book", "write"), remote("look", "read"), remote("final", "irreversible")],
};
