const { makeContinueAsNewFunc } = require("@temporalio/workflow");

// A workflow of another application that continues as a workflow of Navigator.
exports.becomes = (workflowType, taskQueue, input) => makeContinueAsNewFunc({ workflowType, taskQueue })(input);
