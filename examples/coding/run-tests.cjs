// Runs the tests of a project in a separate process without the worker's environment, because its keys are not for
// code that a model wrote.
const { spawn } = require("node:child_process");

/** The number of passed and failed tests, and the output: enough for a model to find the place. */
function runTests(folder, signal) {
  return new Promise((resolve, reject) => {
    const { PATH, HOME } = process.env;
    const tests = spawn(process.execPath, ["--test", "--test-reporter=tap"], {
      cwd: folder,
      env: { PATH, HOME },
      signal,
    });
    let output = "";
    for (const stream of [tests.stdout, tests.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
      });
    tests.once("error", reject);
    tests.once("close", () => {
      const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
      resolve({ passed: count("pass"), failed: count("fail"), output: output.slice(0, 4000) });
    });
  });
}

module.exports = { runTests };
