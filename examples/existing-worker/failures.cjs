// Failures put their message and stack into a payload, which the codec encrypts.
const { DefaultFailureConverter } = require("@temporalio/common");

module.exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
