// The tools of the coding example: two MCP servers of the same package over one sandbox. `files` sees all of it, and
// whoever writes with it asks a person first (agents/coder.yaml says so); `src` sees only the sources, and writes freely.
// What an agent may touch is thus said by what its servers can reach, not by what a model promises.
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
      // Tests may do anything; but running them again does no harm.
      effect: "write",
      timeout: "60s",
      run: (_args, call) => runTests(sandbox(), call.signal),
    }),
  ],
};
