// One tool that does something outside: the test counts it, and kills the worker in the middle of it.
const { defineTool } = require("navigator-agents");

module.exports = {
  agents: [],
  script: "./script.yaml",
  tools: [
    defineTool({
      name: "book",
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
    }),
  ],
};
