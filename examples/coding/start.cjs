// An agent repairs a small project. It works on a copy of the project in this repository.
const { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { runTests } = require("./run-tests.cjs");

module.exports = {
  about: "A coding agent with MCP tools: it mends a source, runs the tests, and asks before it writes anything else.",

  async play({ client, project, model, folder, newId, worker, watch, atEnd, show }) {
    // The server compares real paths; a temporary folder may be a link.
    const sandbox = realpathSync(mkdtempSync(path.join(tmpdir(), "navigator-coding-")));
    atEnd(() => rmSync(sandbox, { recursive: true, force: true }));
    cpSync(path.join(folder, "project"), sandbox, { recursive: true });
    const changed = () =>
      ["src/total.js", "test/total.test.js", "CHANGELOG.md", "README.md"].filter(
        (name) =>
          readFileSync(path.join(sandbox, name), "utf8") !== readFileSync(path.join(folder, "project", name), "utf8"),
      );
    show(`the project is copied to ${sandbox}`);
    const before = await runTests(sandbox);
    await worker({ SANDBOX: sandbox });
    const run = await client.startAgent({
      id: newId("coding"),
      agent: project.agents.coder,
      context: { request: "A test of this project fails. Find out why, and mend it." },
      model,
    });
    await watch(run);
    // The tests are run once more, because the agent's word is not enough.
    const after = await runTests(sandbox);
    return {
      effects: {
        "failing tests before": before.failed,
        "failing tests after": after.failed,
        "passing tests after": after.passed,
        "files changed": changed().length,
      },
      facts: { changed: changed() },
    };
  },
};
