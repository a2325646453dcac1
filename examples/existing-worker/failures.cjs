// Failures have their message and stack in a payload, which the codec encrypts.
const { DefaultFailureConverter } = require("@temporalio/common");

module.exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
