// Jest loads reporters as they are. This one is in TypeScript.
require("../../../scripts/register-ts.cjs");
module.exports = require("./reporter.ts").RunReporter;
