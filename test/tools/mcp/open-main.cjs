// A process that opens a stubborn server and does nothing else, to be killed.
require("../../../scripts/register-ts.cjs");
const { McpSource, McpSettings } = require("../../../src/tools");

const [, , server, notes] = process.argv;
const settings = McpSettings.parse({
  command: process.execPath,
  args: [server],
  env: { NOTES: notes, MODE: "stubborn" },
});
new McpSource("own", settings, { folder: __dirname, env: process.env }).open().then(() => {
  console.log("open");
  setInterval(() => {}, 1_000);
});
