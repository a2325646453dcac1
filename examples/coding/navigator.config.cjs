// The tools of the coding example: the same MCP server twice, over one sandbox. `files` can reach everything, and a
// person approves its writes (see agents/coder.yaml). `src` can reach only the sources, and writes without approval.
// So the reach of the servers decides what an agent may touch, not the promise of a model.
const path = require("node:path");
const { defineTool } = require("navigator-agents");
const { runTests } = require("./run-tests.cjs");

const SERVER = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
const sandbox = () => process.env.SANDBOX ?? path.join(__dirname, "project");

module.exports = {
  agents: "./agents",
  script: "./script.yaml",
  mcp: {
    files: {
      command: process.execPath,
      args: [SERVER, sandbox()],
      tools: ["read_text_file", "directory_tree", "write_file"],
    },
    src: { command: process.execPath, args: [SERVER, path.join(sandbox(), "src")], tools: ["write_file"] },
  },
  tools: [
    defineTool({
      name: "sandbox",
      description: "The folder of the project; every path begins with it",
      signature: "() -> :string",
      effect: "read",
      run: () => sandbox(),
    }),
    defineTool({
      name: "run_tests",
      description: "Runs the project's tests",
      signature: "() -> {passed :int, failed :int, output :string}",
      // Tests may do anything, but running them again does no harm.
      effect: "write",
      timeout: "60s",
      run: (_args, call) => runTests(sandbox(), call.signal),
    }),
  ],
};
